import { join } from "node:path";
import { createFileCheckpointStore, type FileCheckpointStore } from "@quasar/checkpoint";
import type { LoopEvent, LoopEventData } from "@quasar/loop";
import { messageOf } from "../errors.ts";
import type { StepRun } from "./step-run.ts";

/** How much of what an agent says is kept as its last words, in code points. */
const LAST_WORDS = 500;

/**
 * Tells the step what happens in a run.
 *
 * @param elsewhereUsd - What the task has spent in other runs.
 */
export function listenTo({ input }: StepRun, elsewhereUsd: number): (event: LoopEvent) => void {
  const { step, tell, note } = input;
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

/** What the seed's hook writes for a loop step: `cycles/checkpoint.<step>.toml`. */
export function seedStore({ input }: StepRun): FileCheckpointStore {
  const { taskDir, task, ports } = input;
  const { sealKey } = ports;
  return createFileCheckpointStore({
    dir: join(taskDir, "cycles"),
    sealKey,
    repositoryId: task.id,
  });
}

/** Takes the seed's file away: nothing brings a run back that is done. */
export async function forgetSeed(run: StepRun): Promise<void> {
  if (run.turn !== undefined) return;
  const { step, tell } = run.input;
  try {
    await seedStore(run).remove(step.name);
  } catch (error) {
    // A remaining file brings nothing back: the run is kept as ended.
    const message = `the compatibility checkpoint of ${step.name} cannot be removed: ${messageOf(error)}`;
    tell({ type: "warning", message });
  }
}
