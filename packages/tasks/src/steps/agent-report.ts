import type { AgentWorkDone } from "../runs/agent-work.ts";
import type { StepReport } from "./step.ts";

/** Of a summary, in characters. */
const LINE_LENGTH = 200;

/** What agents have done, for the step's record. */
export function reportOf(
  done: AgentWorkDone,
  said: { readonly summary: string; readonly output: string },
): StepReport {
  const { runId, numTurns, costUsd, unknownCostUsd, sessionId, cycles, commits, report } = done;
  return {
    summary: firstLine(said.summary),
    output: said.output,
    sessionId,
    numTurns,
    costUsd,
    metadata: {
      run_id: runId,
      cycles,
      commits,
      unknown_cost_usd: unknownCostUsd,
      ...(report !== undefined && {
        satisfaction: report.satisfaction,
        risk: report.risk,
        needs_human_review: report.needsHumanReview,
      }),
    },
  };
}

/** The first line that says something. */
function firstLine(text: string): string {
  const line = text
    .split(/[\n\v\f\r\u0085\u2028\u2029]/u)
    .map((each) => each.replace(/\p{Cc}|\p{Bidi_Control}/gu, " ").trim())
    .find((each) => each !== "");
  const characters = Array.from(line ?? "done");
  return characters.length <= LINE_LENGTH
    ? characters.join("")
    : `${characters.slice(0, LINE_LENGTH - 1).join("")}…`;
}
