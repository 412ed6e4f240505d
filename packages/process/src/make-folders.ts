import { mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { hasErrno, named } from "./errno.ts";

/**
 * Makes a folder, and those above it that are missing, unless it is there already.
 *
 * One by one: where a file system takes none, Node's own way says that there is no such folder, or never comes back.
 *
 * @param mode - Of those that are made. @default 0o700
 * @throws what the system says of the first that cannot be made
 */
export function makeFolders(path: string, mode: number = 0o700): void {
  if (isFolder(path)) return;
  if (dirname(path) !== path) makeFolders(dirname(path), mode);
  try {
    named(() => mkdirSync(path, { mode }));
  } catch (error) {
    // Somebody else may have been quicker.
    if (!hasErrno(error, "EEXIST") || !isFolder(path)) throw error;
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
