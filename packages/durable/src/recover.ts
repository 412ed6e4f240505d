import { join, resolve } from "node:path";
import { changeDirectory, memoryOf, refuseLinkedDirectory, syncFile } from "./directory.ts";
import type { DurableOptions } from "./file-system.ts";
import { nodeFileSystem } from "./file-system.ts";
import { temporaryFor } from "./names.ts";
import { acknowledge } from "./replace.ts";
import { unlinkIfThere } from "./temporary.ts";

export interface RecoverDirectoryOptions extends DurableOptions {
  /**
   * Which files the caller is going to act on, by name; others are not touched, nor are their
   * temporary ones.
   *
   * @default all
   */
  readonly accept?: ((name: string) => boolean) | undefined;
  /** Files that are not acted on, of which temporary ones go all the same, by name. @default none */
  readonly sweep?: ((name: string) => boolean) | undefined;
}

/**
 * Makes a folder ready to be acted on by a new process: what it reads is on disk, so that no power
 * cut takes it back, and what a killed saver left is gone. It is no error if there is no folder.
 *
 * Call it under the lock of the folder, before reading: another saver's temporary file would go too.
 *
 * @throws {DurableError} `ERR_UNSAFE_DIRECTORY`; `ERR_NOT_DURABLE`
 * @see SPEC.md, "Recover"
 */
export function recoverDirectory(dir: string, options: RecoverDirectoryOptions = {}): void {
  const { fs = nodeFileSystem, accept = () => true, sweep = () => false } = options;
  const folder = resolve(dir);
  acknowledge(`${dir} was not recovered`, folder, () => {
    refuseLinkedDirectory(fs, folder);
    if (fs.lstat(folder) === undefined) return;
    memoryOf(fs).prepared.delete(folder); // another process may have changed it since
    changeDirectory(fs, folder, () => {
      for (const name of fs.readdir(folder)) {
        const target = temporaryFor(name);
        const isSwept = target !== undefined && sweep(target);
        if (!isSwept && !accept(target ?? name)) continue;
        const path = join(folder, name);
        const stat = fs.lstat(path);
        if (stat?.kind !== "file") continue;
        if (target !== undefined) unlinkIfThere(fs, path);
        // A lock file is empty, and must not be opened: closing it would release the lock.
        else if (stat.size > 0) syncFile(fs, path);
      }
    });
  });
}
