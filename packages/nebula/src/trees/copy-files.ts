import { constants, copyFileSync, lstatSync } from "node:fs";
import { dirname, join } from "node:path";
import { dirtyPaths } from "@quasar/git";
import { makeFolders } from "@quasar/process/files";
import type { Engine } from "../engine/context.ts";

/**
 * Gives a new work tree the files of the user's that git ignores and that it needs, with their modes. What is no plain
 * file, or would be committed, is left out and told.
 *
 * @param path - Absolute, of the work tree.
 */
export async function copyFiles(engine: Engine, path: string): Promise<void> {
  const { spec, repository, signal, tell } = engine;
  const { copy } = spec.execution;
  for (const name of copy) {
    const problem = copyOne(join(repository.root, name), join(path, name));
    if (problem !== undefined)
      tell({ type: "warning", message: `${name} was not copied: ${problem}` });
  }
  if (copy.length === 0) return;
  const visible = new Set((await dirtyPaths(path, { signal })).map((dirty) => dirty.path));
  for (const name of copy.filter((each) => visible.has(each))) {
    const message = `${name} was copied, and git does not ignore it: a phase would commit it`;
    tell({ type: "warning", message });
  }
}

function copyOne(from: string, to: string): string | undefined {
  const stat = lstatSync(from, { throwIfNoEntry: false });
  if (stat === undefined) return "it is not there";
  if (!stat.isFile()) return "it is no plain file";
  if (lstatSync(to, { throwIfNoEntry: false }) !== undefined) return undefined;
  makeFolders(dirname(to));
  copyFileSync(from, to, constants.COPYFILE_EXCL);
  return undefined;
}
