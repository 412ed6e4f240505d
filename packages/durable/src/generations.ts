import { memoryOf, syncFile } from "./directory.ts";
import { hasErrno } from "./errors.ts";
import type { FileSystem } from "./file-system.ts";
import { isSameFile } from "./file-system.ts";
import { generationName, listGenerations } from "./names.ts";

/**
 * Makes sure that what is about to be replaced or removed has a durable second name that is the newest
 * generation, and returns the generations there are, oldest first.
 *
 * A save of ours leaves it so, in two flushes; a file of another tool, or a crash, may not.
 */
export function settle(fs: FileSystem, file: string, directory: number): readonly number[] {
  const current = fs.lstat(file);
  const isNewest = (newest: number | undefined): boolean =>
    newest !== undefined && isSameFile(current, fs.lstat(generationName(file, newest)));

  const remembered = memoryOf(fs).generations.get(file);
  if (isNewest(remembered?.at(-1))) return remembered ?? [];

  const generations = listGenerations(fs, file);
  if (current?.kind !== "file" || isNewest(generations.at(-1))) return generations;

  syncFile(fs, file);
  const number = linkGeneration(fs, file, file, generations.at(-1) ?? 0);
  fs.fsync(directory);
  return [...generations, number];
}

/** Links `existing` as the first free generation after `newest`, and returns its number. */
export function linkGeneration(
  fs: FileSystem,
  existing: string,
  file: string,
  newest: number,
): number {
  for (let number = newest + 1; ; number += 1) {
    try {
      fs.link(existing, generationName(file, number));
      return number;
    } catch (error) {
      // Another saver took the number: possible where nobody holds a lock.
      if (!hasErrno(error, "EEXIST") || number - newest >= 1000) throw error;
    }
  }
}
