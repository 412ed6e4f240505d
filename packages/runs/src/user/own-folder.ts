import { writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import { makeFolders } from "../make-folders.ts";

/** The user's own folder of what can be made again, by the XDG rules. */
export function cacheFolder(): string {
  const { XDG_CACHE_HOME = "", HOME = homedir() } = process.env;
  return join(isAbsolute(XDG_CACHE_HOME) ? XDG_CACHE_HOME : join(HOME, ".cache"), "quasar");
}

/**
 * Makes a folder of the user's that git passes over, wherever it is: where `HOME` is a work tree, as in some
 * CIs, a key in it would be committed with the work.
 *
 * A folder that cannot be made or written to is left to who needs it.
 */
export function makeOwnFolder(path: string): void {
  try {
    makeFolders(path);
    writeFileSync(join(path, ".gitignore"), "*\n", { flag: "wx" });
  } catch {
    // It is there already, or there is nothing to be done here.
  }
}
