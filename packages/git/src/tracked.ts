import { GitError } from "./errors.ts";
import type { SignalOptions } from "./head.ts";
import { git, gitFailed, gitOutput } from "./run.ts";

/** Whether git tracks a file of a folder: `false`, too, where the folder is in no repository. Starts one git process. */
export async function isTracked(folder: string, name: string): Promise<boolean> {
  try {
    const args = ["ls-files", "-z", "--", `:(literal)${name}`];
    return (await gitOutput("read", folder, args, {})) !== "";
  } catch (error) {
    if (error instanceof GitError) return false;
    throw error;
  }
}

/**
 * Whether git ignores a file of a work tree, which need not be there: one that it tracks it does not ignore.
 *
 * @param path - From the root; no folder on the way is a link.
 * @throws {GitError} `ERR_GIT_FAILED`; the signal's reason when aborted.
 */
export async function isIgnored(
  workTree: string,
  path: string,
  { signal }: SignalOptions = {},
): Promise<boolean> {
  const args = ["check-ignore", "--quiet", "--", path];
  const result = await git("read", workTree, args, { signal });
  if (result.exitCode > 1) throw gitFailed(args, result);
  return result.exitCode === 0;
}
