import type { ChildOutcome } from "./child.ts";

/** A login that is missing shows within seconds; who took longer may have asked a model, and worked. */
const LONGEST_START_MS = 10_000;

/**
 * Whether an agent has not begun: it ended soon and by itself, in error and without a word.
 *
 * @param text - What it printed.
 */
export function isFailedStart(
  { stopped, exitCode, durationMs }: Pick<ChildOutcome, "stopped" | "exitCode" | "durationMs">,
  text: string,
): boolean {
  const isOwnError = exitCode !== null && exitCode !== 0 && exitCode <= 128;
  return stopped === undefined && isOwnError && text === "" && durationMs < LONGEST_START_MS;
}
