import { setTimeout as sleep } from "node:timers/promises";

/** What a wait takes from the machine. */
export interface Clocks {
  /** Milliseconds since 1970: it may be set, in either direction. */
  readonly wall: () => number;
  /** Milliseconds since some moment: it only goes forward. */
  readonly steady: () => number;
  readonly sleep: (ms: number, signal: AbortSignal | undefined) => Promise<unknown>;
}

const CLOCKS: Clocks = {
  wall: Date.now,
  steady: () => performance.now(),
  sleep: (ms, signal) => sleep(ms, undefined, { signal }),
};

const LOOK_MS = 1000;

/**
 * Waits for a point in time, and looks at the clock every second: one that is set meanwhile counts
 * from then on, and does not make the wait longer than the longest allowed.
 *
 * @param until - Milliseconds since 1970.
 * @returns How long it has waited, in milliseconds, and whether the point in time has come; not when
 *   the signal came or the longest wait was over before.
 */
export async function waitUntil(
  until: number,
  mostMs: number,
  signal: AbortSignal | undefined,
  { wall, steady, sleep: pause }: Clocks = CLOCKS,
): Promise<{ readonly waitedMs: number; readonly isOver: boolean }> {
  const begun = steady();
  for (;;) {
    const waitedMs = steady() - begun;
    const restMs = until - wall();
    if (restMs <= 0) return { waitedMs, isOver: true };
    if (waitedMs >= mostMs || signal?.aborted === true) return { waitedMs, isOver: false };
    const lookMs = Math.max(1, Math.min(restMs, LOOK_MS, mostMs - waitedMs));
    // Aborted: seen at the next look.
    await pause(lookMs, signal).catch(() => undefined);
  }
}
