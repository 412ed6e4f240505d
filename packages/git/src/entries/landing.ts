/** For the packages of this workspace, which are released together; may change in any release. */
export { changeDigest } from "../landing/change-digest.ts";
export { changedInCheckOut } from "../landing/changed-in-check-out.ts";
export { type NewCommit, commitTree, landingDate } from "../landing/commit-tree.ts";
export { haveCommonPast } from "../head.ts";
export { isShallow } from "../repository.ts";
export { conflictMarkersLeft, type MarkersLeft } from "../landing/conflict-markers.ts";
export { differingPaths } from "../landing/differing-paths.ts";
export {
  addDetachedWorkTree,
  checkOutCommit,
  openLinkedWorkTree,
  quarantineWorkTree,
  type RepairedWorkTrees,
  removeDetachedWorkTree,
  removeUnfinishedWorkTree,
  repairWorkTrees,
} from "../landing/detached-work-trees.ts";
export { type MergeFolder, openMergeFolder } from "../landing/merge-folder.ts";
export { type MergeConflict, type MergedTrees, mergeTrees } from "../landing/merge-trees.ts";
export { quarantineRepositories } from "../landing/quarantine-repositories.ts";
export { requireObjects } from "../landing/require-objects.ts";
export { compareAndSwapRef, readRef, type RefChange, syncRef } from "../landing/swap-ref.ts";
export { unpushedSubmodules } from "../landing/unpushed-submodules.ts";
export { removeUntracked } from "../landing/remove-untracked.ts";
export { type WorkTreeOn, workTreesOn } from "../landing/work-trees-on.ts";
