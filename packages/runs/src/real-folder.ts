import { lstatSync } from "node:fs";
import { RunsError } from "./errors.ts";
import { cleanLine } from "./text/clean.ts";
import { shellWord } from "./text/format.ts";

/** The folder of a repository's own settings, which git is told to ignore. */
export const FOLDER = ".quasar";

/** @throws {RunsError} `ERR_UNSAFE_PATH` for anything that is there and is not a folder itself. */
export function isRealFolder(path: string): boolean {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return false;
  if (stat.isDirectory()) return true;
  const what = stat.isSymbolicLink() ? "a symbolic link" : "not a folder";
  throw new RunsError("ERR_UNSAFE_PATH", `${cleanLine(path)} is ${what}`, {
    next: [{ note: `look at it, and remove it if it is not yours: rm ${shellWord(path)}` }],
  });
}
