import { type Fact, openRuns } from "@quasar/runs";
import { locateRun } from "@quasar/runs/internal";
import { forkedWords, GIVEN_UP, outcomeText } from "@quasar/runs/words";
import { cleanLine, jsonLine } from "@quasar/runs/text";
import { EXIT, type ExitCode } from "../../shared/exit-codes.ts";
import { cleaned } from "../../shared/output/cleaned.ts";
import { IDLE } from "../../shared/output/progress.ts";
import type { OutputRecord } from "../../shared/output/record.ts";
import { JSON_VERSION } from "../../shared/output/json.ts";
import { viewOf, write } from "../../shared/output/reporter.ts";
import { labelled, linesOf, type View } from "../../shared/output/text.ts";
import { createTimeline } from "../../shared/output/timeline.ts";
import { placeOfRun } from "../nebula/phase-run.ts";
import { journalFacts } from "../facts/journal.ts";
import { type AgentSaid, NO_AGENTS, watchAgents } from "../runs/watch-agents.ts";

export interface LogOptions {
  readonly follow?: true | undefined;
  /** What the agents said and did, too. */
  readonly agent?: true | undefined;
  readonly json?: true | undefined;
}

/** `quasar log`: what a run has gone through, by its journal; with `--follow` as it happens, agents' work included. */
export async function logCommand(id: string | undefined, options: LogOptions): Promise<ExitCode> {
  const { cwd, home } = await placeOfRun(id);
  const runs = await openRuns(cwd, { home });
  const { workspace } = runs;
  const { id: runId } = locateRun(workspace, id);
  const tell = options.json === true ? JSON_TELLER : createTeller(runId, viewOf(process.stdout));
  const unread = new AbortController();
  process.stdout.once("error", () => unread.abort());
  const { signal } = unread;
  const { follow } = options;
  const facts = runs.watch(runId, { follow, signal });
  const agents =
    options.agent === true || (follow === true && options.json !== true)
      ? watchAgents({ workspace, runId, follow, signal }, tell.agent)
      : NO_AGENTS;
  let shown = 0;
  for (;;) {
    const { done, value } = await facts.next();
    if (signal.aborted) return EXIT.ok;
    await agents.until(done === true ? undefined : value);
    if (done !== true) {
      tell.fact(value);
      agents.after(value);
      shown += 1;
    } else if (value !== undefined) {
      write(process.stderr, [`the journal is damaged: ${cleanLine(value)}`]);
      return EXIT.corrupt;
    } else {
      if (shown === 0) write(process.stderr, [`run ${runId} has no journal`]);
      return EXIT.ok;
    }
  }
}

/** Tells what is in a journal, and what agents said and did in between. */
interface Teller {
  fact(fact: Fact): void;
  agent(said: AgentSaid): void;
}

const JSON_TELLER: Teller = {
  fact: (fact) => printLine(journalFacts(fact)),
  agent: printLine,
};

function printLine(facts: object): void {
  process.stdout.write(jsonLine({ v: JSON_VERSION, ...facts }));
}

/** Tells facts as the run itself has told them. */
function createTeller(runId: string, whole: View): Teller {
  const timeline = createTimeline(whole);
  const { view } = timeline;
  return {
    fact: (fact) =>
      timeline.tell(String(fact["time"]), factLines(cleaned(fact) as Fact, runId, view)),
    // An agent's output has no times.
    agent: (said) => timeline.tell(undefined, linesOf(said, IDLE, view)),
  };
}

function factLines(fact: Fact, runId: string, view: View): readonly string[] {
  if (fact.type === "result") {
    const outcome = outcomeText(String(fact["outcome"]));
    return [
      ...labelled(view, "ended", outcome),
      ...(fact["outcome"] === "approved"
        ? []
        : labelled(view, "because", cleanLine(String(fact["message"])))),
    ];
  }
  if (fact.type === "abandoned") return labelled(view, "ended", GIVEN_UP);
  if (fact.type === "forked") {
    const { from, cycle } = fact;
    return labelled(view, "begun", forkedWords(String(from), Number(cycle)));
  }
  // How many there may be changes from one resume to the next.
  if (fact.type === "cycle_start") return [view.paint("bold", `cycle ${String(fact["cycle"])}`)];
  if (!TOLD.has(fact.type)) return [];
  try {
    return linesOf(fact as unknown as OutputRecord, { ...IDLE, runId }, view);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return labelled(view, "", cleanLine(fact.type));
  }
}

/** What the run has told its user. */
const TOLD: ReadonlySet<string> = new Set([
  "resumed",
  "agent_start",
  "turn_recovered",
  "turn_retry",
  "agent_done",
  "tools_denied",
  "committed",
  "snapshot",
  "undone",
  "check_done",
  "review_complete",
  "refactored",
  "struggle_detected",
  "warning",
  "notice",
  "waiting",
]);
