import { constants } from "node:fs";
import { dirname, join } from "node:path";
import { hasErrno } from "./errors.ts";
import { type FileSystem, nodeFileSystem } from "./file-system.ts";

/**
 * Makes durable what another program has written: the contents of files, and their names in the
 * folders from them up to the root. Links and what is no file keep their names only; what is not
 * there (any more) is a name that has gone.
 *
 * @param root - Absolute path of a folder.
 * @param paths - From the root, `/` between parts.
 */
export function syncFiles(
  root: string,
  paths: readonly string[],
  { fs = nodeFileSystem }: { readonly fs?: FileSystem | undefined } = {},
): void {
  for (const path of paths) {
    sync(fs, join(root, path), constants.O_NOFOLLOW | constants.O_NONBLOCK);
  }
  syncNames(root, paths, { fs });
}

/** Makes durable the names alone of files that their writer has synced, in the folders from them up to the root. */
export function syncNames(
  root: string,
  paths: readonly string[],
  { fs = nodeFileSystem }: { readonly fs?: FileSystem | undefined } = {},
): void {
  const folders = new Set<string>();
  for (const path of paths) {
    for (let at = dirname(path); ; at = dirname(at)) {
      if (folders.has(at)) break;
      folders.add(at);
      if (at === "." || at === "/") break;
    }
  }
  // From the leaves up: a folder that is named in its parent has its own names by then.
  const deepestFirst = [...folders].toSorted((a, b) => b.length - a.length);
  for (const folder of deepestFirst) sync(fs, join(root, folder), constants.O_DIRECTORY);
}

/** Not there, a link, no folder, a socket, or not for us to read: no content that is ours to keep. */
const NOTHING_TO_SYNC = ["ENOENT", "ELOOP", "ENOTDIR", "ENXIO", "EACCES", "EINVAL"];

function sync(fs: FileSystem, path: string, flags: number): void {
  let fd: number | undefined;
  try {
    fd = fs.open(path, constants.O_RDONLY | flags);
    fs.fsync(fd);
  } catch (error) {
    if (!hasErrno(error, ...NOTHING_TO_SYNC)) throw error;
  } finally {
    if (fd !== undefined) fs.close(fd);
  }
}
