/** `workspace.json`: a work tree and the tasks that were done in it. */
export interface Workspace {
  /** The name of its folder. */
  readonly name: string;
  /** Absolute: its folder. */
  readonly path: string;
  readonly worktreePath: string;
  readonly branch: string;
  readonly status: WorkspaceStatus;
  /** Ids, oldest first. */
  readonly tasks: readonly string[];
  readonly repoPath: string;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly metadata: WorkspaceMetadata;
  /** Keys that this version does not know: they survive a rewrite. */
  readonly extra: Readonly<Record<string, unknown>>;
}

/** `closed`: its work tree is gone, the branch is not; `destroyed`: all is gone that is not kept for good. */
export const WORKSPACE_STATUSES = ["active", "paused", "closed", "destroyed"] as const;
export type WorkspaceStatus = (typeof WORKSPACE_STATUSES)[number];

export interface WorkspaceMetadata {
  /** The git folder that all work trees of the repository share: absolute, without links. */
  readonly commonDir: string;
  /** Whether the work tree is the user's own. */
  readonly isHere: boolean;
  /** The branch that pull requests go to; `""` where none is known. */
  readonly baseBranch: string;
}
