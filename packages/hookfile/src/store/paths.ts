import { realpathSync } from "node:fs";
import { basename, dirname, isAbsolute, join, relative, resolve } from "node:path";
import { hasErrno } from "../errno.ts";

/** The path without links, as far as it exists. */
export function realOrIntended(path: string): string {
  const full = resolve(path);
  try {
    return realpathSync(full);
  } catch (error) {
    if (!hasErrno(error, "ENOENT", "ENOTDIR") || dirname(full) === full) throw error;
    return join(realOrIntended(dirname(full)), basename(full));
  }
}

/** Whether a path is below a folder; both are absolute and without links. */
export function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== "" && way !== ".." && !way.startsWith("../") && !isAbsolute(way);
}
