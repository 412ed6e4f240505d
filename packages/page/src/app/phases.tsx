import type { NebulaFacts, PhaseFacts } from "@quasar/nebula/facts";
import { costWords, count } from "@quasar/runs/text";
import { minuteAfter } from "@quasar/runs/words";
import type { Tone } from "../view/verdict.ts";
import { Badge } from "./badge.tsx";
import { Moment } from "./moment.tsx";
import { short } from "./short.ts";

const TONES: Readonly<Record<PhaseFacts["standing"], Tone>> = {
  landed: "good",
  unchanged: "good",
  works: "quiet",
  approved: "quiet",
  stopped: "quiet",
  waits: "wait",
  limited: "wait",
  failed: "bad",
  skipped: "quiet",
  pending: "quiet",
};

/** Each phase with where it is, why, and what it cost. */
export function Phases({ nebula }: { readonly nebula: NebulaFacts }) {
  return (
    <div class="scroll" role="group" aria-label="Table of phases" tabIndex={0}>
      <table>
        <thead>
          <tr>
            <th scope="col">Phase</th>
            <th scope="col">Status</th>
            <th scope="col">After</th>
            <th scope="col">Attempts</th>
            <th scope="col" class="amount">
              Cost
            </th>
          </tr>
        </thead>
        <tbody>
          {nebula.phases.map((phase) => (
            <PhaseRow key={phase.id} phase={phase} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function PhaseRow({ phase }: { readonly phase: PhaseFacts }) {
  const { id, title, standing, reason, retryAt, dependsOn, attempts, landedSha, money } = phase;
  return (
    <tr>
      <th scope="row">
        {id}
        {title !== "" && title !== id && <span class="below">{short(title)}</span>}
      </th>
      <td>
        <Badge tone={TONES[standing]} word={standing} />
        {landedSha !== "" && <code class="below">{landedSha.slice(0, 10)}</code>}
        {retryAt !== "" && (
          <span class="below">
            until <Moment at={minuteAfter(retryAt)} />
          </span>
        )}
        {reason !== "" && <span class="below">{short(reason)}</span>}
      </td>
      <td>{dependsOn.join(", ")}</td>
      <td>
        {attempts.length === 0 ? "" : count(attempts.length, "attempt")}
        {attempts.flatMap(({ attempt, reasons }) =>
          reasons.map((why) => (
            <span key={`${attempt} ${why}`} class="below">
              {attempt}: {short(why)}
            </span>
          )),
        )}
      </td>
      <td class="amount">{costWords(money)}</td>
    </tr>
  );
}
