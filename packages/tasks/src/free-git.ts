import { openRepository } from "@quasar/git";
import { freeGitLocks } from "@quasar/runs/tree";

/**
 * `freeGitLocks` of a work tree. Call it under its lock.
 *
 * @throws {GitError} as `openRepository` does.
 */
export async function freeGit(worktree: string): Promise<readonly string[]> {
  return freeGitLocks(await openRepository(worktree));
}
