import { existsSync, readdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { suggestion } from "@quasar/runs/internal";
import { MANIFEST_FILE } from "./manifest.ts";

/** Which nebula's folder may be meant beside one that is not there, in words; `""`: none is alike. */
export function meantBeside(dir: string): string {
  const parent = dirname(dir);
  return suggestion(basename(dir), foldersIn(parent), (name) => join(parent, name));
}

/** Names of the nebulae's folders in a folder. */
function foldersIn(parent: string): readonly string[] {
  try {
    return readdirSync(parent).filter((name) => existsSync(join(parent, name, MANIFEST_FILE)));
  } catch {
    // It is for an advice, and there is none.
    return [];
  }
}
