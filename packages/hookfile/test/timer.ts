import type { Wait } from "../src/store/repeat.ts";

/** A timer that a test turns by hand. */
export interface Timer {
  readonly wait: Wait;
  /** What is being waited for, in milliseconds; `undefined` when nothing is. */
  readonly waiting: () => number | undefined;
  /** Ends the wait, and lets everything run that does not wait for anything else. */
  readonly elapse: () => Promise<void>;
}

export function aTimer(): Timer {
  let pending: { milliseconds: number; end: () => void } | undefined;
  return {
    wait: (milliseconds, signal) =>
      new Promise<void>((resolve, reject) => {
        signal.throwIfAborted();
        pending = { milliseconds, end: resolve };
        const abort = (): void => {
          pending = undefined;
          reject(signal.reason as Error);
        };
        signal.addEventListener("abort", abort, { once: true });
      }),
    waiting: () => pending?.milliseconds,
    elapse: async () => {
      const { end } = pending ?? {};
      pending = undefined;
      end?.();
      await settled();
    },
  };
}

/** Resolves when nothing is left to do but what waits for the world outside. */
export function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
