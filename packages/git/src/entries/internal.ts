/** For the packages of this workspace, which are released together; may change in any release. */
export { changedAfter } from "../changed-after.ts";
export { usesConventionalCommits } from "../convention.ts";
export { filesAt, readBlob } from "../files-at.ts";
export { reflogActions } from "../history.ts";
export { hooksFolder } from "../hooks.ts";
export { type IgnoredEntry, type IgnoredFile, ignoredFiles } from "../ignored-files.ts";
export { clearGitLocks, gitLocks } from "../locks.ts";
export { gitDirAt } from "../repository.ts";
export { isOwnPath, OWN_FOLDER, OWN_PATHS } from "../snapshots.ts";
export { isInWorkTree } from "../within.ts";
export { readCommitState, type SeenWork } from "../work.ts";
