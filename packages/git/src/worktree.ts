import { resolve } from "node:path";
import { GitError } from "./errors.ts";
import type { SignalOptions } from "./head.ts";
import { openRepository, type Repository } from "./repository.ts";
import { checkRevision } from "./revision.ts";
import { gitOutput } from "./run.ts";

export interface WorktreeOptions extends SignalOptions {
  /** The folder to make, which must be missing or empty; a relative one is taken from `workDir`. */
  readonly path: string;
  /** The branch to make, without `refs/heads/`. It must not exist. */
  readonly branch: string;
  /** What the branch starts at: `HEAD`, a full commit id or `refs/…`. */
  readonly from: string;
}

/**
 * Makes a linked work tree on a new branch. It is a write: the user's `post-checkout` hook and
 * filters run.
 *
 * @throws {GitError} `ERR_INVALID_ARGUMENT`, `ERR_BAD_REVISION`; `ERR_GIT_FAILED` when the branch
 *   or the folder exists; `ERR_NOT_A_REPOSITORY`, `ERR_GIT_MISSING`; the signal's reason when
 *   aborted.
 */
export async function createWorktree(
  workDir: string,
  { path, branch, from, signal }: WorktreeOptions,
): Promise<Repository> {
  if (branch === "" || branch.startsWith("-") || branch.includes("\0")) {
    const message = `${JSON.stringify(branch)} cannot be a branch's name`;
    throw new GitError("ERR_INVALID_ARGUMENT", message);
  }
  const folder = resolve(workDir, path);
  const args = ["worktree", "add", "--quiet", "--no-track", "-b", branch];
  await gitOutput("write", workDir, [...args, "--", folder, checkRevision(from)], {
    signal,
    hooks: true,
  });
  return openRepository(folder, { signal });
}
