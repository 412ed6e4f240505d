import type { SignalOptions } from "../head.ts";
import { git } from "../run.ts";

/**
 * The branch that a work tree was on before the one that it is on, without `refs/heads/`; `undefined`: none, or one that
 * is gone.
 *
 * @throws {GitError} `ERR_GIT_MISSING`; the signal's reason when aborted.
 */
export async function previousBranch(
  workTree: string,
  options: SignalOptions = {},
): Promise<string | undefined> {
  const args = ["rev-parse", "--verify", "--quiet", "--symbolic-full-name", "@{-1}"];
  const { exitCode, stdout } = await git("read", workTree, args, options);
  return exitCode === 0 ? /^refs\/heads\/(.+)$/mu.exec(stdout)?.[1] : undefined;
}
