import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { acquireLock, DurableError, type Lock, lockHolder } from "@quasar/durable";
import { makeFolders } from "@quasar/process/files";

/** How often, and how long apart, the lock is asked for while nobody says to hold it. */
const [TRIES, PAUSE_MS] = [20, 25];

/** What of runs is kept in the git folder of a work tree; each has its own. */
export function stateFolder(gitDir: string): string {
  return join(gitDir, "quasar");
}

/** @param stateDir - {@link stateFolder} */
export function treeLockPath(stateDir: string): string {
  return join(stateDir, "lock");
}

/**
 * Takes the lock of a work tree, which the process that works there holds, for as long as this one lives or until it is
 * released. A holder who has just come and has not said yet who it is, or who is just going, is waited for: half a second.
 *
 * @param stateDir - {@link stateFolder}; made where it is missing, with mode 0700.
 * @throws {DurableError} `ERR_LOCKED`, with `owner` where one was seen; and as `acquireLock` does.
 */
export async function takeTreeLock(stateDir: string): Promise<Lock> {
  makeFolders(stateDir);
  const path = treeLockPath(stateDir);
  for (let tries = 1; ; tries += 1) {
    try {
      return acquireLock(path);
    } catch (error) {
      if (!(error instanceof DurableError) || error.code !== "ERR_LOCKED") throw error;
      const owner = lockHolder(path);
      // Where lock files are removed it may be seen at one moment, and not at the next.
      if (owner !== undefined) {
        throw new DurableError("ERR_LOCKED", error.message, { owner, cause: error });
      }
      if (tries === TRIES) throw error;
    }
    await sleep(PAUSE_MS);
  }
}
