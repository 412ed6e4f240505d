import { lstatSync, type Stats } from "node:fs";
import { hasErrno } from "./errno.ts";

/**
 * What is at a path, links not followed; `undefined` where nothing is, also where what should be a folder on its way is a
 * file: `throwIfNoEntry` of lstat throws for that.
 */
export function entryAt(path: string): Stats | undefined {
  try {
    return lstatSync(path);
  } catch (error) {
    if (hasErrno(error, "ENOENT", "ENOTDIR")) return undefined;
    throw error;
  }
}
