import { dirname, resolve } from "node:path";
import { changeDirectory } from "./directory.ts";
import { hasErrno } from "./errors.ts";
import type { DurableOptions } from "./file-system.ts";
import { nodeFileSystem, nodeRandom } from "./file-system.ts";
import { acknowledge } from "./replace.ts";
import { discard, unlinkIfThere, writeTemporary } from "./temporary.ts";

/**
 * Creates a file with all its bytes unless it exists, and returns whether this call did. Of several
 * processes one wins; all find the winner's bytes there when the call returns, and they are durable.
 *
 * @param mode - Of the new file, less the umask. @default 0o600
 * @throws {DurableError} `ERR_UNSAFE_DIRECTORY`; `ERR_NOT_DURABLE`
 */
export function createOnce(
  path: string,
  bytes: Uint8Array,
  mode = 0o600,
  options: DurableOptions = {},
): boolean {
  const { fs = nodeFileSystem, random = nodeRandom } = options;
  const file = resolve(path);
  let created = false;
  acknowledge(`${path} was not created`, file, () => {
    changeDirectory(fs, dirname(file), (directory) => {
      if (fs.lstat(file) === undefined) {
        const temporary = writeTemporary(fs, file, bytes, mode, random);
        try {
          fs.link(temporary, file);
          created = true;
        } catch (error) {
          if (!hasErrno(error, "EEXIST")) {
            discard(fs, temporary, error);
            throw error;
          }
        }
        unlinkIfThere(fs, temporary);
      }
      fs.fsync(directory);
    });
  });
  return created;
}
