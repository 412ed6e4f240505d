import { acquireLock, DurableError, type Lock } from "@quasar/durable";

/**
 * Does something under a kernel lock, for which it waits.
 *
 * @throws {DurableError} `ERR_LOCKED` when others have held it for `timeoutMs`.
 */
export function withLock<T>(path: string, timeoutMs: number, work: () => T): T {
  const lock = waitFor(path, timeoutMs);
  try {
    return work();
  } finally {
    lock.release();
  }
}

function waitFor(path: string, timeoutMs: number): Lock {
  const until = performance.now() + timeoutMs;
  for (;;) {
    try {
      return acquireLock(path);
    } catch (error) {
      const isHeld = error instanceof DurableError && error.code === "ERR_LOCKED";
      if (!isHeld || performance.now() >= until) throw error;
      sleep(2 + Math.random() * 18); // not all who wait in step
    }
  }
}

const never = new Int32Array(new SharedArrayBuffer(4));

function sleep(ms: number): void {
  Atomics.wait(never, 0, 0, ms);
}
