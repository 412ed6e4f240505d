import { existsSync, mkdirSync, renameSync } from "node:fs";
import { dirname, join } from "node:path";
import type { SignalOptions } from "../head.ts";
import { dirtyPaths } from "../status.ts";

/**
 * Moves repositories that are in a work tree, and not at what it names, out of it: submodules with another commit
 * checked out, which git does not move along, and what it does not track. Their commits may be nowhere else. A submodule
 * is an empty folder then, as in a new work tree.
 *
 * @param workTree - Absolute, of a linked one that Quasar made.
 * @returns The folder that they are in now, `<work tree>.left-<time>`; `undefined`: there was none.
 * @throws {GitError} `ERR_GIT_FAILED`; the system's error; the signal's reason when aborted.
 */
export async function quarantineRepositories(
  workTree: string,
  options: SignalOptions = {},
): Promise<string | undefined> {
  const dirty = await dirtyPaths(workTree, options);
  const nested = dirty.filter(({ path }) => existsSync(join(workTree, path, ".git")));
  if (nested.length === 0) return undefined;
  const left = `${workTree}.left-${new Date().toISOString().replaceAll(":", "")}`;
  for (const { path: listed, status } of nested) {
    const path = listed.replace(/\/$/u, "");
    const to = join(left, path);
    mkdirSync(dirname(to), { recursive: true });
    renameSync(join(workTree, path), to);
    if (status !== "??") mkdirSync(join(workTree, path));
  }
  return left;
}
