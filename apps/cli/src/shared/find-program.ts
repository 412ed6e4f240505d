import { accessSync, constants, statSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";
import { codeOf } from "@quasar/runs/internal";

/** Path of a program; `undefined` where the search path has none. It is not started. */
export function findProgram(name: string, searchPath: string): string | undefined {
  return searchPath
    .split(delimiter)
    .filter((folder) => isAbsolute(folder))
    .map((folder) => join(folder, name))
    .find(isProgram);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch (error) {
    if (["ENOENT", "EACCES", "ENOTDIR", "ELOOP"].includes(codeOf(error))) return false;
    throw error;
  }
}
