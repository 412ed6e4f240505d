import { existsSync } from "node:fs";
import { dirname, join } from "node:path";

/**
 * Whether a folder is in a work tree, and in none within that. By names only: no process is started, and
 * what is named is not looked into.
 *
 * @param dir - Absolute, without links; `""` is in none.
 * @param root - The work tree's top folder, as `openRepository` says it.
 */
export function isInWorkTree(dir: string, root: string): boolean {
  for (let at = dir; at !== ""; at = dirname(at)) {
    if (at === root) return true;
    if (existsSync(join(at, ".git")) || at === dirname(at)) return false;
  }
  return false;
}
