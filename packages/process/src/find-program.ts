import { accessSync, constants, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { hasErrno } from "./errno.ts";

/** Where a program is searched for. */
export interface ProgramPlaces {
  /** As in `PATH`: folders, with `:` between. */
  readonly path: string;
  /** What relative folders and names with a `/` begin at; absolute. */
  readonly cwd: string;
}

/**
 * The absolute path of the program that a name starts, as `execvp` finds it; `undefined` where there is no
 * file of that name that may be started.
 */
export function findProgram(name: string, { path, cwd }: ProgramPlaces): string | undefined {
  if (name === "") return undefined;
  const folders = name.includes("/") ? [""] : path.split(":");
  return folders.map((folder) => resolve(cwd, join(folder, name))).find(mayStart);
}

function mayStart(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch (error) {
    if (hasErrno(error, "ENOENT", "ENOTDIR", "EACCES", "ELOOP", "ENAMETOOLONG")) return false;
    throw error;
  }
}
