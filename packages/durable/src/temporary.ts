import { constants } from "node:fs";
import { hasErrno } from "./errors.ts";
import type { FileSystem, Random } from "./file-system.ts";
import { temporaryName } from "./names.ts";

/** Writes and syncs a file under a new temporary name beside `file`; leaves nothing on failure. */
export function writeTemporary(
  fs: FileSystem,
  file: string,
  bytes: Uint8Array,
  mode: number,
  random: Random,
): string {
  const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
  const temporary = temporaryName(file, random);
  const fd = fs.open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode);
  let open = true;
  try {
    writeAll(fs, fd, bytes);
    fs.fsync(fd);
    open = false;
    fs.close(fd);
  } catch (error) {
    discard(fs, temporary, error, open ? fd : undefined);
    throw error;
  }
  return temporary;
}

export function writeAll(fs: FileSystem, fd: number, bytes: Uint8Array): void {
  for (let offset = 0; offset < bytes.length; ) {
    const written = fs.write(fd, bytes, offset, bytes.length - offset);
    if (written === 0) throw new Error("the disk took no bytes and gave no reason");
    offset += written;
  }
}

/**
 * Removes what a failed change left. What fails here too is attached to `reason`, which is what the
 * caller throws: the first failure is the one to report.
 */
export function discard(fs: FileSystem, path: string, reason: unknown, fd?: number): void {
  try {
    if (fd !== undefined) fs.close(fd);
    unlinkIfThere(fs, path);
  } catch (error) {
    if (reason instanceof Error) reason.cause ??= error;
  }
}

export function unlinkIfThere(fs: FileSystem, path: string): void {
  try {
    fs.unlink(path);
  } catch (error) {
    if (!hasErrno(error, "ENOENT")) throw error;
  }
}
