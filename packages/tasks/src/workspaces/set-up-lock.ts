import { join } from "node:path";
import type { Repository } from "@quasar/git";
import { makeFolders } from "@quasar/process/files";
import { whoHas } from "../locked-by.ts";
import { waitForLock } from "../wait-for-lock.ts";

/** A large tree takes its time. */
const LONGEST_MS = 2 * 60_000;
const POLL_MS = 50;

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
  makeFolders(folder);
  const path = join(folder, "set-up.lock");
  const waiting = waitForLock({ path, pollMs: POLL_MS, longestMs: LONGEST_MS, signal });
  const lock = await waiting.catch((error: unknown) => {
    throw whoHas("makes a work tree of this repository", error);
  });
  try {
    return await body();
  } finally {
    lock.release();
  }
}
