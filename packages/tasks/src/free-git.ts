import { openRepository } from "@quasar/git";
import { freeGitLocks } from "@quasar/runs/tree";
import type { RunningStep } from "./steps/step.ts";

/**
 * `freeGitLocks` of a work tree. Call it under its lock.
 *
 * @throws {GitError} as `openRepository` does.
 */
export async function freeGit(worktree: string): Promise<readonly string[]> {
  return freeGitLocks(await openRepository(worktree));
}

/** The same in a step whose agents were ended: a git may have been with them. */
export async function freeAfterAgents({
  worktree,
  tell,
}: Pick<RunningStep, "worktree" | "tell">): Promise<void> {
  for (const message of await freeGit(worktree)) tell({ type: "warning", message });
}
