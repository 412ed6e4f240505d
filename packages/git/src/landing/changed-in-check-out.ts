import type { DirtyPath } from "../dirty-path.ts";
import { readConfig } from "../config.ts";
import type { SignalOptions } from "../head.ts";
import { gitOutput } from "../run.ts";
import { changedFiles, STATUS } from "../status.ts";
import { trustedFilters } from "./trusted-filters.ts";

/**
 * What is not committed in a work tree that Quasar has checked out, as `dirtyPaths` lists it, but under the filters by
 * which that was checked out, those of the user's own settings: they run on each file whose times have changed.
 *
 * @throws {GitError} as `dirtyPaths`; the signal's reason when aborted.
 */
export async function changedInCheckOut(
  root: string,
  options: SignalOptions = {},
): Promise<readonly DirtyPath[]> {
  const config = await trustedFilters(root, options);
  const output = await gitOutput("read", root, STATUS, { ...options, config });
  return changedFiles(root, output, await readConfig(root, options), options);
}
