import { dirname, resolve } from "node:path";
import { changeDirectory, memoryOf } from "./directory.ts";
import { DurableError, hasErrno } from "./errors.ts";
import type { DurableOptions, FileSystem } from "./file-system.ts";
import { isSameFile, nodeFileSystem, nodeRandom } from "./file-system.ts";
import { generationName, listGenerations, temporaryName } from "./names.ts";
import { acknowledge } from "./replace.ts";
import { unlinkIfThere } from "./temporary.ts";

export interface SetAsideOptions extends DurableOptions {
  /** The time in the new name; seconds count. */
  readonly now: Date;
}

/**
 * Gives the newest generation of a file, damaged as the caller found it, the name
 * `<path>.damaged-<yyyymmdd>T<hhmmss>Z` (with `-2`, `-3` … where that is taken), makes the generation
 * before it the file, and returns the new name; `undefined` where there is no generation.
 *
 * Its bytes stay as they are. If the generation before it is damaged too, call it again.
 *
 * @throws {DurableError} `ERR_NOT_REGULAR` for a folder; `ERR_NOT_DURABLE`.
 * @see SPEC.md, "Set aside"
 */
export function setAside(path: string, options: SetAsideOptions): string | undefined {
  const { fs = nodeFileSystem, random = nodeRandom, now } = options;
  const file = resolve(path);
  let aside: string | undefined;
  acknowledge(`${path} was not set aside`, () => {
    changeDirectory(fs, dirname(file), (directory) => {
      const names = listGenerations(fs, file).map((number) => generationName(file, number));
      const damaged = fs.lstat(file) === undefined ? names.at(-1) : file;
      if (damaged === undefined) return;
      const stat = fs.lstat(damaged);
      if (stat?.kind === "directory") {
        throw new DurableError("ERR_NOT_REGULAR", `${damaged} is a folder`);
      }

      aside = linkAside(fs, damaged, file, now);
      fs.fsync(directory);

      const isDamaged = (name: string): boolean => isSameFile(stat, fs.lstat(name));
      const promoted = names.findLast((name) => !isDamaged(name));
      if (promoted === undefined) unlinkIfThere(fs, file);
      else {
        const temporary = temporaryName(file, random);
        fs.link(promoted, temporary);
        fs.rename(temporary, file);
      }
      for (const name of names.filter(isDamaged)) unlinkIfThere(fs, name);
      fs.fsync(directory);
      memoryOf(fs).generations.delete(file);
    });
  });
  return aside;
}

function linkAside(fs: FileSystem, damaged: string, file: string, now: Date): string {
  const time = now.toISOString().replaceAll(/[-:]|\.\d+/g, "");
  for (let count = 1; ; count += 1) {
    const name = `${file}.damaged-${time}${count === 1 ? "" : `-${count}`}`;
    try {
      fs.link(damaged, name);
      return name;
    } catch (error) {
      if (!hasErrno(error, "EEXIST") || count >= 1000) throw error;
    }
  }
}
