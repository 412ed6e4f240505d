import type { Checkpoint } from "@quasar/checkpoint";
import { CliError } from "./errors.ts";
import { cleanLine } from "./output/clean.ts";
import type { Reporter } from "./output/reporter.ts";
import { dirtyTree, listed } from "./work-tree.ts";

/** What a resume finds in a work tree. */
export interface FoundTree {
  /** `undefined` where HEAD is on none. */
  readonly branch: string | undefined;
  /** Paths that differ from HEAD. */
  readonly dirty: readonly string[];
}

/**
 * Tells whose the changes are that lie uncommitted in the tree of a run: those of an unfinished turn
 * are its agent's and will be committed; after everything else the run has left a clean tree, so they
 * are the user's.
 *
 * @param acceptDirty - Whether the user's changes may stay where they are.
 * @returns The paths that the run is to leave alone beyond those that it does already.
 * @throws {CliError} `ERR_DIRTY`
 */
export function userPaths(
  checkpoint: Checkpoint,
  { dirty }: FoundTree,
  acceptDirty: boolean,
  reporter: Reporter,
): readonly string[] {
  const { untouchablePaths } = checkpoint;
  const isKnown = (path: string): boolean =>
    untouchablePaths.some((known) => path === known || path.startsWith(`${known}/`));
  const changed = dirty.filter((path) => !isKnown(path));
  if (changed.length === 0) return [];
  if (isCoderAtWork(checkpoint)) {
    const message = `taken for the work of the coder's unfinished turn: ${listed(changed).join(", ")}`;
    reporter.report({ type: "notice", message });
    return [];
  }
  if (acceptDirty) return changed;
  throw dirtyTree(changed, [
    "git add -A && git commit -m … && quasar resume --accept-head (or git stash -u)",
    "quasar resume --accept-dirty (those files are never committed by quasar)",
  ]);
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

/**
 * Refuses to go on with a run on another branch than the one it has worked on.
 *
 * @param stored - The run's branch: `""` is none, `undefined` one that nobody noted.
 * @throws {CliError} `ERR_BRANCH_CHANGED`
 */
export function requireBranch(stored: string | undefined, { branch = "" }: FoundTree): void {
  if (stored === undefined || stored === branch) return;
  const shown = (name: string): string => (name === "" ? "no branch" : `branch ${cleanLine(name)}`);
  const message = `the run works on ${shown(stored)}, but HEAD is on ${shown(branch)}`;
  const back = stored === "" ? [] : [`git switch ${cleanLine(stored)}`];
  throw new CliError("ERR_BRANCH_CHANGED", message, {
    next: [...back, "quasar resume --accept-branch"],
  });
}
