import { dirname, resolve } from "node:path";
import { named } from "@quasar/process/files";
import { changeDirectory, memoryOf } from "./directory.ts";
import { DurableError } from "./errors.ts";
import type { DurableOptions, FileSystem } from "./file-system.ts";
import { nodeFileSystem, nodeRandom } from "./file-system.ts";
import { linkGeneration, settle } from "./generations.ts";
import { generationName } from "./names.ts";
import { discard, unlinkIfThere, writeTemporary } from "./temporary.ts";

export interface ReplaceFileOptions extends DurableOptions {
  /**
   * Keep the generation that is replaced, and a second name of the newest. Without it a damaged file
   * has no substitute, and a file system whose rename is not atomic may lose the file. Not to be
   * changed during a file's life: older generations would stay behind.
   *
   * @default true
   */
  readonly keepPrevious?: boolean | undefined;
}

/**
 * Replaces a file whole or not at all, and returns once a power cut cannot undo it.
 *
 * The file gets mode 0600, folders that are missing 0700. Two flushes: the file and its folder (more
 * when the process first meets the folder, or after a crash).
 *
 * @throws {DurableError} `ERR_UNSAFE_DIRECTORY`; `ERR_NOT_DURABLE`, after which either the old or the
 *   new bytes are there, whole.
 * @see SPEC.md, "Replace"
 */
export function replaceFile(
  path: string,
  bytes: Uint8Array,
  options: ReplaceFileOptions = {},
): void {
  const { fs = nodeFileSystem, random = nodeRandom, keepPrevious = true } = options;
  const file = resolve(path);
  acknowledge(`${path} was not saved`, file, () => {
    changeDirectory(fs, dirname(file), (directory) => {
      const generations = keepPrevious ? settle(fs, file, directory) : [];
      const temporary = writeTemporary(fs, file, bytes, 0o600, random);
      let number: number | undefined;
      try {
        if (keepPrevious) number = linkGeneration(fs, temporary, file, generations.at(-1) ?? 0);
        fs.rename(temporary, file);
      } catch (error) {
        discard(fs, temporary, error);
        if (number !== undefined) discard(fs, generationName(file, number), error);
        throw error;
      }
      fs.fsync(directory);
      if (number !== undefined) keepNewest(fs, file, generations, number);
    });
  });
}

/** Throws what `change` throws as a {@link DurableError}, which is about a file. */
export function acknowledge(message: string, file: string, change: () => void): void {
  try {
    named(change, file);
  } catch (error) {
    if (error instanceof DurableError) throw error;
    const reason = error instanceof Error ? `: ${error.message}` : "";
    throw new DurableError("ERR_NOT_DURABLE", `${message}${reason}`, { cause: error });
  }
}

/** After the flush, so that an older generation goes only when two newer ones are on disk. */
function keepNewest(
  fs: FileSystem,
  file: string,
  generations: readonly number[],
  newest: number,
): void {
  for (const number of generations.slice(0, -1)) unlinkIfThere(fs, generationName(file, number));
  memoryOf(fs).generations.set(file, [...generations.slice(-1), newest]);
}
