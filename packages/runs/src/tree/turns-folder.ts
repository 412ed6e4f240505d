import { join } from "node:path";
import { makeFolders } from "@quasar/process/files";
import { isRealFolder } from "../real-folder.ts";

/** Where the files of a run's turns are, from which a later resume learns how they ended. */
export function turnsFolder(dir: string): string {
  return join(dir, "turns");
}

/**
 * The same, made where it is missing, with mode 0700.
 *
 * @throws {RunsError} `ERR_UNSAFE_PATH` for what is no folder itself.
 */
export function makeTurnsFolder(dir: string): string {
  const path = turnsFolder(dir);
  makeFolders(path);
  isRealFolder(path);
  return path;
}
