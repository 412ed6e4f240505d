import type { DirtyPath } from "../dirty-path.ts";
import { readConfig } from "../config.ts";
import type { SignalOptions } from "../head.ts";
import { gitOutput } from "../run.ts";
import { changedFiles, dirtyPaths, STATUS } from "../status.ts";
import { trustedFilters } from "./trusted-filters.ts";

/**
 * What is not committed in a work tree that Quasar has checked out, as `dirtyPaths` lists it; of a file whose times have
 * changed the contents are compared under the filters by which it was checked out, those of the user's own settings.
 *
 * @throws {GitError} as `dirtyPaths`; the signal's reason when aborted.
 */
export async function changedInCheckOut(
  root: string,
  options: SignalOptions = {},
): Promise<readonly DirtyPath[]> {
  const dirty = await dirtyPaths(root, options);
  if (dirty.length === 0) return dirty;
  const config = await trustedFilters(root, options);
  if (config.length === 0) return dirty;
  const output = await gitOutput("read", root, STATUS, { ...options, config });
  return changedFiles(root, output, await readConfig(root, options), options);
}
