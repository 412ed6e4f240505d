import { setTimeout as sleep } from "node:timers/promises";
import { acquireLock, type Lock } from "@quasar/durable";
import { isHeld } from "./locked-by.ts";

export interface WaitForLockOptions {
  readonly path: string;
  /** Milliseconds between two tries. */
  readonly pollMs: number;
  /** Milliseconds after which it is given up. @default never */
  readonly longestMs?: number | undefined;
  readonly signal: AbortSignal | undefined;
}

/** Takes a lock once it is free. @throws {DurableError} `ERR_LOCKED` when it is given up; the signal's reason. */
export async function waitForLock(options: WaitForLockOptions): Promise<Lock> {
  const { path, pollMs, longestMs = Number.POSITIVE_INFINITY, signal } = options;
  const deadline = performance.now() + longestMs;
  for (;;) {
    signal?.throwIfAborted();
    try {
      return acquireLock(path);
    } catch (error) {
      if (!isHeld(error) || performance.now() >= deadline) throw error;
    }
    await sleep(pollMs, undefined, { signal }).catch(() => signal?.throwIfAborted());
  }
}
