import type { CycleFacts, RunFacts } from "@quasar/runs/facts";
import { count } from "@quasar/runs/text";
import { CHECK_LABELS } from "@quasar/runs/words";
import type { RunOf } from "../view/runs.ts";
import { Badge } from "./badge.tsx";
import { Fold } from "./fold.tsx";
import { LongText } from "./long-text.tsx";
import { short } from "./short.ts";

/** Each cycle of each run: its checks, and what its review said. Those of a nebula's phases are folded. */
export function Cycles({ runs }: { readonly runs: readonly RunOf[] }) {
  const worked = runs.filter(({ run }) => run.cycles.length > 0);
  if (worked.length === 0) return <p class="none">No cycle has begun.</p>;
  return worked.map(({ phase, run }) => {
    if (phase === "") return <CyclesOf key={run.id} run={run} />;
    const summary = (
      <>
        <span class="name">{phase}</span>
        <code class="note">{run.id}</code>
        <span>{count(run.cycles.length, "cycle")}</span>
        <Review cycle={run.cycles.at(-1)} />
      </>
    );
    return (
      <Fold key={run.id} class="run" summary={summary}>
        {() => <CyclesOf run={run} />}
      </Fold>
    );
  });
}

function CyclesOf({ run }: { readonly run: RunFacts }) {
  return (
    <ul class="cycles">
      {run.cycles.map((cycle) => (
        <li key={cycle.cycle}>
          <p>
            <strong>Cycle {cycle.cycle}</strong> <Review cycle={cycle} />
          </p>
          <Checks cycle={cycle} />
        </li>
      ))}
    </ul>
  );
}

function Review({ cycle }: { readonly cycle: CycleFacts | undefined }) {
  if (cycle?.isApproved === undefined) return <Badge tone="quiet" word="not reviewed" />;
  if (cycle.isApproved) return <Badge tone="good" word="approved" />;
  return <Badge tone="wait" word="sent back to the coder" />;
}

function Checks({ cycle: { checks } }: { readonly cycle: CycleFacts }) {
  return checks.map(({ check, name, isPassed, output }, n) => {
    const summary = (
      <>
        <Badge tone={isPassed ? "good" : "bad"} word={isPassed ? "passed" : "failed"} />{" "}
        <code>{short(name)}</code> <span class="note">{CHECK_LABELS[check]}</span>
      </>
    );
    if (output === "") {
      return (
        <p key={n} class="check">
          {summary}
        </p>
      );
    }
    return (
      <Fold key={n} class="check" summary={summary}>
        {() => <LongText text={output} />}
      </Fold>
    );
  });
}
