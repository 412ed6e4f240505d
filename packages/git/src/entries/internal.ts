/** For the packages of this workspace, which are released together; may change in any release. */
export { askRemote } from "../ask-remote.ts";
export { deleteBranch } from "../branches.ts";
export { bundleHolds, verifyBundle, writeBundle } from "../bundle.ts";
export { changedAfter } from "../changed-after.ts";
export { treeOfCommit } from "../commit-ids.ts";
export { gitVersion } from "../commit-setup.ts";
export { usesConventionalCommits } from "../convention.ts";
export { filesAt, readBlob } from "../files-at.ts";
export { reflogActions } from "../history.ts";
export { hiddenChanges } from "../hidden.ts";
export { hooksFolder } from "../hooks.ts";
export { findHooks, type HooksFound, type HooksFoundOptions } from "../hooks-found.ts";
export type { ControlChange } from "../controls/changes.ts";
export {
  type ControlsStore,
  type GitControls,
  openGitControls,
} from "../controls/controls.ts";
export { ignoredFiles } from "../ignored-files.ts";
export { clearGitLocks, gitLocks } from "../locks.ts";
export { hasPlainlyNoRefs, plainHead } from "../loose.ts";
export { notInPast } from "../not-in-past.ts";
export { type PushPlace, pushPlace } from "../push-place.ts";
export { withoutSecrets } from "../remote-access.ts";
export { createRef } from "../refs.ts";
export { remoteBranches } from "../remotes.ts";
export { gitDirAt, gitFoldersAt, operationInProgress } from "../repository.ts";
export { previousBranch } from "../landing/previous-branch.ts";
export { isOwnPath, OWN_FOLDER, OWN_PATHS } from "../snapshots.ts";
export { isIgnored, isTracked } from "../tracked.ts";
export { headAndChanges } from "../status.ts";
export { readCommitState, type SeenWork } from "../work.ts";
