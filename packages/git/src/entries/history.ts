export { refSha } from "../branches.ts";
export { resolveCommit } from "../commit-ids.ts";
export { countChanges, type FileChange } from "../count-changes.ts";
export { diffTrees } from "../diff.ts";
export { isAncestor } from "../head.ts";
export { type ChangedFile, changedFiles, changedPaths, readCommit } from "../history.ts";
