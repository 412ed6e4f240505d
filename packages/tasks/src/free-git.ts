import { clearGitLocks, openRepository } from "@quasar/git";
import type { RunningStep } from "./steps/step.ts";

/**
 * Sets aside the lock files that a git which is gone has left in a work tree's repository. Call it under
 * the work tree's lock.
 *
 * @returns What is to be told of each.
 * @throws {GitError} as `openRepository` does.
 */
export async function freeGit(worktree: string): Promise<readonly string[]> {
  const paths = await clearGitLocks(await openRepository(worktree));
  return paths.map((path) => `${path} was left by a git that is gone: it is set aside`);
}

/** The same in a step whose agents were ended: a git may have been with them. */
export async function freeAfterAgents({
  worktree,
  tell,
}: Pick<RunningStep, "worktree" | "tell">): Promise<void> {
  for (const message of await freeGit(worktree)) tell({ type: "warning", message });
}
