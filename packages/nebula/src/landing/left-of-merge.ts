import { conflictMarkersLeft, type MarkersLeft } from "@quasar/git/landing";
import type { Engine } from "../context/context.ts";
import type { PhaseState } from "../state/state.ts";

/** A file of a rework in which something is left that only the merge has put there. */
export interface LeftOfMerge {
  readonly path: string;
  /** Names the file, and the lines. */
  readonly finding: string;
}

/**
 * What a commit of a rework still has of the merge that the rework began with; none where that had no conflict.
 *
 * @throws {GitError} as {@link conflictMarkersLeft} does.
 */
export async function leftOfMerge(
  { mergeFolder, signal }: Pick<Engine, "mergeFolder" | "signal">,
  { conflictCommit, conflicts: paths }: Pick<PhaseState, "conflictCommit" | "conflicts">,
  commit: string,
): Promise<readonly LeftOfMerge[]> {
  if (paths.length === 0) return [];
  const left = { conflictCommit, tree: commit, paths, signal };
  const files = await conflictMarkersLeft(mergeFolder, left);
  return files.map((file) => ({ path: file.path, finding: findingOf(file) }));
}

function findingOf({ path, lines }: MarkersLeft): string {
  if (lines.length === 0) return `${path}: it still has the name that the merge gave it`;
  const where = `${lines.length === 1 ? "line" : "lines"} ${lines.join(", ")}`;
  return `${path}: it still has conflict markers (${where})`;
}
