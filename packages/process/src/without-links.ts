import { realpathSync } from "node:fs";
import { basename, dirname, join } from "node:path";

/** The path with the links on its way resolved, as far as it is there. @param path - An absolute one. */
export function withoutLinks(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return dirname(path) === path ? path : join(withoutLinks(dirname(path)), basename(path));
  }
}
