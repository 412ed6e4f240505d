import { lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { codeOf } from "./errors.ts";

/**
 * What the files of a folder hold, in bytes; one that goes meanwhile, or that cannot be looked into, holds nothing.
 * A link counts by itself: an agent may have made one to anywhere.
 */
export function folderSize(dir: string): number {
  let size = 0;
  try {
    for (const entry of readdirSync(dir, { withFileTypes: true })) {
      const path = join(dir, entry.name);
      size += lstatSync(path, { throwIfNoEntry: false })?.size ?? 0;
      if (entry.isDirectory()) size += folderSize(path);
    }
  } catch (error) {
    if (!["ENOENT", "ENOTDIR", "EACCES"].includes(codeOf(error))) throw error;
  }
  return size;
}
