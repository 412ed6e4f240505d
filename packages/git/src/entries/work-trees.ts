export { seenFiles } from "../seen-files.ts";
export { treeToCommit } from "../tree-to-commit.ts";
export { workTreeId } from "../work-tree-id.ts";
export { createWorktree, listWorktrees, removeWorktree } from "../worktree.ts";
