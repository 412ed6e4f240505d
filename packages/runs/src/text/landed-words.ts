import { count } from "./format.ts";

/** How many phases a nebula has, and what has become of those that are done. */
export interface LandedCounts {
  readonly phaseCount: number;
  /** Those that are done: landed, or without a change to land. */
  readonly landedCount: number;
  /** Those of `landedCount` that made no changes. */
  readonly unchangedCount: number;
}

/**
 * `2 of 4 phases landed on nebula/x (1 more made no changes)`.
 *
 * @param branch - Where they land, as it is shown. @default not said
 */
export function landedWords(
  { phaseCount, landedCount, unchangedCount }: LandedCounts,
  branch = "",
): string {
  const where = branch === "" ? "" : ` on ${branch}`;
  if (phaseCount === 0) return `no phases to land${where}`;
  const landed = landedCount - unchangedCount;
  const words = `${landed} of ${count(phaseCount, "phase")} landed${where}`;
  if (unchangedCount === 0) return words;
  return `${words} (${unchangedCount}${landed === 0 ? "" : " more"} made no changes)`;
}
