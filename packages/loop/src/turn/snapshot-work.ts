import { type Ending, INTERRUPTED } from "../ending.ts";
import type { Start } from "./prompts.ts";
import { takenEvents } from "./taken.ts";
import { gitEnding } from "../repository/work-tree.ts";
import { isCancelled, type Run } from "../run.ts";

/**
 * Keeps what is not committed before a turn of the coder works on it again, and says whether there
 * was anything. An ending: it could not be kept, so nothing may replace it.
 */
export async function snapshotWork(run: Run): Promise<Start["tree"] | Ending> {
  const { repository } = run.ports;
  const { runId, turn, cycle } = run.state;
  const { signal } = run.settings;
  if (repository === undefined) return "unknown";
  if (run.clean) return "clean";
  try {
    const message = `uncommitted work before turn ${turn?.id ?? ""} is taken again`;
    const snapshot = await repository.snapshot({ runId, message, signal });
    if (snapshot === undefined) return "clean";
    for (const event of takenEvents(cycle, snapshot)) await run.emit(event);
    return "dirty";
  } catch (error) {
    if (isCancelled(run)) return INTERRUPTED;
    return gitEnding("uncommitted work could not be kept", error);
  }
}
