import type { HookFile } from "../store/hook-file.ts";
import type { Driver } from "./task-driver.ts";
import { isTerminal } from "../transitions/transitions.ts";

/** How long a task whose owner cannot be read counts as driven, in ms: the seed's 5 minutes. */
export const STALE_AFTER = 300_000;

export interface LivenessInput {
  readonly driver: Driver;
  /** When the task was last known to be driven: of use where the driver is not known. */
  readonly lastSign: Date;
  readonly now: Date;
}

/**
 * Whether a task has been interrupted (`interrupted`: just found; `crashed`: found before).
 *
 * @see SPEC.md, "Recovery"
 */
export function judge(
  { state, recovery }: HookFile,
  { driver, lastSign, now }: LivenessInput,
): "ended" | "running" | "waiting" | "crashed" | "interrupted" {
  if (isTerminal(state)) return "ended";
  if (state === "awaiting_human") return "waiting";
  if (driver === "lives") return "running";
  if (state === "recovering" && recovery !== undefined) return "crashed";
  if (state === "step_pending") return "waiting";
  const isFresh = Math.abs(now.getTime() - lastSign.getTime()) < STALE_AFTER;
  return driver === "unknown" && isFresh ? "running" : "interrupted";
}
