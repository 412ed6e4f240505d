import { existsSync, mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { codeOf } from "./errors.ts";

/**
 * Makes a folder (0700) and those above it that are missing. One by one: Node's own way never returns below a
 * folder in which none can be made, such as `/proc`, and says on a read-only file system that there is none.
 */
export function makeFolders(path: string): void {
  if (existsSync(path)) return;
  makeFolders(dirname(path));
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    // Somebody else may have been quicker.
    if (codeOf(error) !== "EEXIST" || !existsSync(path)) throw error;
  }
}
