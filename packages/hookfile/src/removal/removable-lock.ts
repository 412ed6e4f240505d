import { lstatSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { acquireLock, DurableError, type Lock } from "@quasar/durable";
import { hasErrno } from "../errno.ts";

export interface TakeLockOptions {
  readonly signal?: AbortSignal | undefined;
  /** @default durable's */
  readonly acquire?: ((path: string) => Lock) | undefined;
}

const LIMIT_MS = 10_000;
const PAUSE_MS = 20;

/**
 * Waits for a lock whose file its holder may remove before letting it go, at most ten seconds.
 *
 * Whoever has opened the file just before it was removed then has the lock of a file that nobody else
 * will find: such a lock is given back, and taken again. A file that is open keeps its inode, so the
 * same one before and after is the one that is locked.
 *
 * @throws {DurableError} `ERR_LOCKED`; as `acquireLock`; the signal's reason when aborted.
 */
export async function takeRemovableLock(
  file: string,
  { signal, acquire = acquireLock }: TakeLockOptions = {},
): Promise<Lock> {
  const deadline = performance.now() + LIMIT_MS;
  for (;;) {
    signal?.throwIfAborted();
    const before = inodeOf(file);
    try {
      const lock = acquire(file);
      if (before !== undefined && inodeOf(file) === before) return lock;
      lock.release();
    } catch (error) {
      const isBusy = error instanceof DurableError && error.code === "ERR_LOCKED";
      // Its folder may go with it.
      if (!(isBusy || hasErrno(error, "ENOENT")) || performance.now() > deadline) throw error;
      await sleep(PAUSE_MS, undefined, { signal });
    }
  }
}

function inodeOf(file: string): bigint | undefined {
  return lstatSync(file, { bigint: true, throwIfNoEntry: false })?.ino;
}
