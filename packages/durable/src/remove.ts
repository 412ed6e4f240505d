import { dirname, resolve } from "node:path";
import { changeDirectory, memoryOf, refuseLinkedDirectory } from "./directory.ts";
import type { DurableOptions } from "./file-system.ts";
import { nodeFileSystem } from "./file-system.ts";
import { settle } from "./generations.ts";
import { generationName, listGenerations } from "./names.ts";
import { acknowledge } from "./replace.ts";
import { unlinkIfThere } from "./temporary.ts";

/**
 * Removes a file and its generations, and returns once a power cut cannot bring it back. It is no
 * error if there is none.
 *
 * Older generations go first and durably, so that no cut leaves one of them standing for the newest.
 * Set a damaged file aside before: damaged, it cannot stand for itself meanwhile.
 *
 * @throws {DurableError} `ERR_UNSAFE_DIRECTORY`; `ERR_NOT_DURABLE`, after which the file is either
 *   there or not.
 * @see SPEC.md, "Remove"
 */
export function removeFile(path: string, options: DurableOptions = {}): void {
  const { fs = nodeFileSystem } = options;
  const file = resolve(path);
  acknowledge(`${path} was not removed`, file, () => {
    refuseLinkedDirectory(fs, dirname(file));
    if (fs.lstat(dirname(file)) === undefined) return;
    changeDirectory(fs, dirname(file), (directory) => {
      const hasGenerations = listGenerations(fs, file).length > 0;
      const numbers = hasGenerations ? settle(fs, file, directory) : [];
      const generations = numbers.map((number) => generationName(file, number));
      const older = generations.slice(0, -1);
      for (const name of older) unlinkIfThere(fs, name);
      if (older.length > 0) fs.fsync(directory);
      for (const name of [...generations.slice(-1), file]) unlinkIfThere(fs, name);
      fs.fsync(directory);
      memoryOf(fs).generations.delete(file);
    });
  });
}
