import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/**
 * Makes a folder of the user's that git passes over, wherever it is: where `HOME` is a work tree, as in some
 * CIs, a key in it would be committed with the work.
 *
 * A folder that cannot be made or written to is left to who needs it.
 */
export function makeOwnFolder(path: string): void {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    writeFileSync(join(path, ".gitignore"), "*\n", { flag: "wx" });
  } catch {
    // It is there already, or there is nothing to be done here.
  }
}
