import type { SignalOptions } from "../head.ts";
import { gitOutput } from "../run.ts";

export interface RemoveUntrackedOptions extends SignalOptions {
  /** What git ignores, too. @default false */
  readonly ignored?: boolean | undefined;
}

/**
 * Removes what git does not track and does not ignore either, other repositories in it too: take a snapshot first.
 *
 * @param workTree - Of a linked work tree that Quasar made.
 * @throws {GitError} `ERR_GIT_FAILED`; the signal's reason when aborted.
 */
export async function removeUntracked(
  workTree: string,
  { ignored = false, signal }: RemoveUntrackedOptions = {},
): Promise<void> {
  await gitOutput("keep", workTree, ["clean", ignored ? "-ffdxq" : "-ffdq"], { signal });
}
