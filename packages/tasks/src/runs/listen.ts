import type { LoopEvent, LoopEventData } from "@quasar/loop";
import type { RunningStep } from "../steps/step.ts";

/** How much of what an agent says is kept as its last words, in code points. */
const LAST_WORDS = 500;

/**
 * Tells the step what happens in a run.
 *
 * @param elsewhereUsd - What the task has spent in other runs.
 */
export function listenTo(
  { step, tell, note }: RunningStep,
  elsewhereUsd: number,
): (event: LoopEvent) => void {
  let spentUsd = elsewhereUsd;
  let said = "";
  return (event) => {
    // The state is copied when it is asked for, and what an agent says may come in thousands.
    if (event.type !== "agent_event") spentUsd = elsewhereUsd + event.state().totalCostUsd;
    if (event.type === "agent_start") said = "";
    tell({ type: "loop", step: step.name, event: dataOf(event), spentUsd });
    if (event.type !== "agent_event" || event.event.type !== "text") return;
    said = lastOf(`${said}\n${event.event.text}`.trimStart(), LAST_WORDS);
    note({ lastOutput: said });
  };
}

function dataOf({ state: _s, taskId: _t, headSha: _h, ...data }: LoopEvent): LoopEventData {
  return data;
}

function lastOf(text: string, count: number): string {
  // Twice as much is enough of it, should each of them be a surrogate pair.
  return Array.from(text.slice(-2 * count))
    .slice(-count)
    .join("")
    .toWellFormed();
}
