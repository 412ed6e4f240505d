import type { Checkpoint } from "@quasar/checkpoint";
import { uncommitted } from "../work-tree.ts";
import { branchOf, type Workspace } from "../workspace.ts";

/** What a resume finds in a work tree. */
export interface FoundTree {
  /** `undefined` where HEAD is on none. */
  readonly branch: string | undefined;
  /** Paths that differ from HEAD. */
  readonly dirty: readonly string[];
}

export async function lookAt(workspace: Workspace): Promise<FoundTree> {
  const [branch, dirty] = await Promise.all([branchOf(workspace), uncommitted(workspace)]);
  return { branch, dirty };
}

/** Paths that lie uncommitted in the tree beyond those that the run leaves alone already. */
export function newlyDirty(
  { untouchablePaths }: Checkpoint,
  { dirty }: FoundTree,
): readonly string[] {
  const isKnown = (path: string): boolean =>
    untouchablePaths.some((known) => path === known || path.startsWith(`${known}/`));
  return dirty.filter((path) => !isKnown(path));
}

/** Whether the last save is of a coder's turn whose work is not committed yet. */
export function isCoderAtWork({ phase, turn, cycle, cycleCommits, gitSha }: Checkpoint): boolean {
  if (turn !== undefined) {
    return turn.role === "coder" && (phase === "coding" || phase === "linting");
  }
  const isCommitted = cycleCommits[cycle - 1] === gitSha;
  const isCoded = phase === "code_complete" || phase === "linting" || phase === "filtering";
  return phase === "coding" || (isCoded && !isCommitted);
}
