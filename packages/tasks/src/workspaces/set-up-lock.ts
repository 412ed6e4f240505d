import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { acquireLock, DurableError, type Lock } from "@quasar/durable";
import type { Repository } from "@quasar/git";
import { lockedBy } from "../locked-by.ts";

/** How often, and how many milliseconds apart, the lock is asked for: a large tree takes its time. */
const [TRIES, PAUSE_MS] = [2400, 50];

/**
 * Makes one work tree of a repository at a time: git, which lists those that there are, fails at one
 * that another git is just making.
 *
 * @throws {TasksError} `ERR_LOCKED` after 2 minutes; what the body throws; the signal's reason.
 */
export async function oneAtATime<T>(
  { commonDir }: Pick<Repository, "commonDir">,
  signal: AbortSignal | undefined,
  body: () => Promise<T>,
): Promise<T> {
  const folder = join(commonDir, "quasar");
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const lock = await waitFor(join(folder, "set-up.lock"), signal);
  try {
    return await body();
  } finally {
    lock.release();
  }
}

async function waitFor(path: string, signal: AbortSignal | undefined): Promise<Lock> {
  for (let tries = 1; tries < TRIES; tries += 1) {
    try {
      return acquireLock(path);
    } catch (error) {
      if (!(error instanceof DurableError) || error.code !== "ERR_LOCKED") throw error;
    }
    await sleep(PAUSE_MS, undefined, { signal });
  }
  return lockedBy("makes a work tree of this repository", () => acquireLock(path));
}
