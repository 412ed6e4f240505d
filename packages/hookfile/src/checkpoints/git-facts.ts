import {
  currentBranch,
  currentGitSha,
  dirtyPaths,
  GitError,
  type SignalOptions,
} from "@quasar/git";
import type { GitFacts } from "./checkpoints.ts";

/**
 * Where a work tree stands now.
 *
 * @throws {GitError} as `currentBranch`, `currentGitSha` and `dirtyPaths` do, but for a repository
 *   without commits; the signal's reason when aborted.
 */
export async function readGitFacts(
  worktree: string,
  options: SignalOptions = {},
): Promise<GitFacts> {
  const [branch = "", commit, dirty] = await Promise.all([
    currentBranch(worktree, options),
    headOf(worktree, options),
    dirtyPaths(worktree, options),
  ]);
  return { branch, ...(commit !== undefined && { commit }), dirty: dirty.length > 0 };
}

async function headOf(worktree: string, options: SignalOptions): Promise<string | undefined> {
  try {
    return await currentGitSha(worktree, options);
  } catch (error) {
    if (error instanceof GitError && error.code === "ERR_NO_COMMITS") return undefined;
    throw error;
  }
}
