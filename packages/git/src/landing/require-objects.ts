import type { SignalOptions } from "../head.ts";
import type { Repository } from "../repository.ts";
import { checkSha } from "../revision.ts";
import { git } from "../run.ts";
import { failedOrMissing } from "./missing-object.ts";

export interface RequireObjectsOptions extends SignalOptions {
  /**
   * Full id of a commit whose objects, and those of its past, are taken to be here.
   *
   * @default what the commit itself holds has to be here, and its past need not be
   */
  readonly beside?: string | undefined;
}

/**
 * Makes sure that what a commit is made of is here, contents of files included: a merge does not read all that it puts
 * together. What a partial clone may fetch later counts as here; nothing is fetched.
 *
 * @throws {GitError} `ERR_MISSING_OBJECT`, naming it; `ERR_BAD_REVISION`, `ERR_GIT_FAILED`; the signal's reason when
 *   aborted.
 */
export async function requireObjects(
  { root }: Pick<Repository, "root">,
  commit: string,
  { beside, signal }: RequireObjectsOptions = {},
): Promise<void> {
  const range = beside === undefined ? ["--no-walk"] : [`^${checkSha(beside)}`];
  const how = ["--objects", "--quiet", "--exclude-promisor-objects"];
  const args = ["rev-list", ...how, ...range, checkSha(commit), "--"];
  const result = await git("read", root, args, { signal });
  if (result.exitCode !== 0) throw failedOrMissing(args, result);
}
