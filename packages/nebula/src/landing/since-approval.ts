import { GitError, type Repository, type SignalOptions } from "@quasar/git";
import { differingPaths, type MergeFolder, openMergeFolder } from "@quasar/git/landing";
import type { PhaseState } from "../state/state.ts";

/** A phase whose change a person may have approved before. */
export type ApprovedBefore = Pick<PhaseState, "candidate" | "approvedCandidate">;

/**
 * The paths in which the change that waits for a person differs from the one that was approved last; none where nothing was
 * approved, the change is the same, or a commit of the two is lost.
 */
export async function changedSinceApproval(
  { mergeFolder, signal }: { readonly mergeFolder: MergeFolder } & SignalOptions,
  { candidate, approvedCandidate }: ApprovedBefore,
): Promise<readonly string[]> {
  if (approvedCandidate === "" || candidate === "") return [];
  try {
    return await differingPaths(mergeFolder, [approvedCandidate, candidate], { signal });
  } catch (error) {
    if (error instanceof GitError && error.code === "ERR_MISSING_OBJECT") return [];
    throw error;
  }
}

/** The same without an engine. */
export async function pathsSinceApproval(
  repository: Repository,
  phase: ApprovedBefore,
): Promise<readonly string[]> {
  return changedSinceApproval({ mergeFolder: await openMergeFolder(repository) }, phase);
}
