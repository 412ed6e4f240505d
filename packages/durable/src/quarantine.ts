import { dirname, resolve } from "node:path";
import { changeDirectory, memoryOf } from "./directory.ts";
import { DurableError, hasErrno } from "./errors.ts";
import type { DurableOptions, FileStat, FileSystem, Random } from "./file-system.ts";
import { isSameFile, nodeFileSystem, nodeRandom } from "./file-system.ts";
import { generationName, listGenerations, temporaryName } from "./names.ts";
import { acknowledge } from "./replace.ts";
import { discard, unlinkIfThere } from "./temporary.ts";

export interface QuarantineOptions extends DurableOptions {
  /** The time in the new name; seconds count. */
  readonly now: Date;
}

/**
 * Gives a file that the caller found damaged the name `<path>.damaged-<yyyymmdd>T<hhmmss>Z` (with
 * `-2`, `-3` … where that is taken), makes the generation before it the file, and returns the new
 * name. Its bytes stay as they are. Load again after it: the generation before may be damaged as well.
 *
 * Where the file itself is missing, its newest generation becomes the file: then nothing is quarantined,
 * and it returns `undefined`.
 *
 * @throws {DurableError} `ERR_NOT_REGULAR` for a folder; `ERR_UNSAFE_DIRECTORY`; `ERR_NOT_DURABLE`
 * @see SPEC.md, "Quarantined"
 */
export function quarantine(path: string, options: QuarantineOptions): string | undefined {
  const { fs = nodeFileSystem, random = nodeRandom, now } = options;
  const file = resolve(path);
  let aside: string | undefined;
  acknowledge(`${path} was not quarantined`, file, () => {
    changeDirectory(fs, dirname(file), (directory) => {
      const damaged = fs.lstat(file);
      if (damaged?.kind === "directory") {
        throw new DurableError("ERR_NOT_REGULAR", `${path} is a folder`);
      }
      if (damaged !== undefined) {
        aside = linkAside(fs, file, now);
        fs.fsync(directory);
      }
      promote(fs, file, damaged, random);
      fs.fsync(directory);
      memoryOf(fs).generations.delete(file);
    });
  });
  return aside;
}

/** Makes the newest generation that is not `damaged` the file, and forgets newer ones. */
function promote(
  fs: FileSystem,
  file: string,
  damaged: FileStat | undefined,
  random: Random,
): void {
  const isDamaged = (name: string): boolean => isSameFile(damaged, fs.lstat(name));
  const names = listGenerations(fs, file).map((number) => generationName(file, number));
  const promoted = names.findLast((name) => !isDamaged(name));
  if (promoted === undefined) unlinkIfThere(fs, file);
  else {
    const temporary = temporaryName(file, random);
    fs.link(promoted, temporary);
    try {
      fs.rename(temporary, file);
    } catch (error) {
      discard(fs, temporary, error);
      throw error;
    }
  }
  for (const name of names.filter(isDamaged)) unlinkIfThere(fs, name);
}

export function linkAside(fs: FileSystem, file: string, now: Date): string {
  const time = now.toISOString().replaceAll(/[-:]|\.\d+/g, "");
  for (let count = 1; ; count += 1) {
    const name = `${file}.damaged-${time}${count === 1 ? "" : `-${count}`}`;
    try {
      fs.link(file, name);
      return name;
    } catch (error) {
      if (!hasErrno(error, "EEXIST") || count >= 1000) throw error;
    }
  }
}
