import { existsSync, readlinkSync, symlinkSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { acquireLock } from "@quasar/durable";
import { makeFolders } from "@quasar/process/files";

/** Its hundreds end below the ports that systems hand out by themselves. */
const FIRST_PORT = 20_000;
const PORTS = 100;
const SLOTS = Array.from({ length: 127 }, (_, slot) => slot);

/** How long another engine may take for its own, in milliseconds. */
const WAIT_MS = 5000;

/** Variables that whatever works in a work tree gets. */
export type TreeEnv = Readonly<Record<string, string>>;

/**
 * `QUASAR_PORT_BASE`: the first of a hundred ports that no other work tree of the user's nebulae has while this one is
 * there. Each hundred is a link in a folder of the user's, to its tree; one that leads nowhere is free. Where all are
 * taken there is no variable.
 *
 * @param stateFolder - `$XDG_STATE_HOME/quasar`.
 * @param tree - Absolute path of a work tree that is there.
 */
export function portsOf(stateFolder: string, tree: string): TreeEnv {
  const folder = join(stateFolder, "ports");
  const linkOf = (slot: number): string => join(folder, `${slot}`);
  makeFolders(folder);
  const lock = acquireLock(join(folder, "lock"), { waitMs: WAIT_MS });
  try {
    let slot = SLOTS.find((each) => targetOf(linkOf(each)) === tree);
    if (slot === undefined) {
      slot = SLOTS.find((each) => !existsSync(linkOf(each)));
      if (slot === undefined) return {};
      if (targetOf(linkOf(slot)) !== undefined) unlinkSync(linkOf(slot));
      symlinkSync(tree, linkOf(slot));
    }
    return { QUASAR_PORT_BASE: `${FIRST_PORT + PORTS * slot}` };
  } finally {
    lock.release();
  }
}

/** Where a link leads; `undefined`: there is none. */
function targetOf(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}
