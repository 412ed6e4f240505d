import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { type Clocks, waitUntil } from "./wait-until.ts";

const [MINUTE, HOUR] = [60_000, 3_600_000];
const NOW = Date.parse("2026-11-21T12:00:00Z");

/** Clocks that only a sleep moves on, and that are set at given moments of the steady one. */
function clocks(jumps: readonly (readonly [atMs: number, byMs: number])[] = []): Clocks {
  let steady = 0;
  return {
    steady: () => steady,
    wall: () =>
      NOW + steady + jumps.reduce((sum, [when, by]) => sum + (steady >= when ? by : 0), 0),
    sleep: async (ms) => {
      steady += ms;
    },
  };
}

const never = new AbortController().signal;

test.for([
  ["no jump", [], 2 * HOUR, true],
  ["a clock that is set an hour on", [[MINUTE, HOUR]], HOUR, true],
  ["a clock that is set past the end", [[MINUTE, 9 * HOUR]], MINUTE, true],
  ["a clock that is set an hour back", [[MINUTE, -HOUR]], 3 * HOUR, true],
  ["a clock that is set a year back", [[MINUTE, -8760 * HOUR]], 6 * HOUR, false],
  [
    "a clock that is set back again and again",
    Array.from({ length: 99 }, (_, n) => [n * HOUR, -HOUR] as const),
    6 * HOUR,
    false,
  ],
] as const)(
  "with %s it waits as long as the wall says, never longer than it may",
  async ([, jumps, ms, isOver]) => {
    const waited = await waitUntil(NOW + 2 * HOUR, 6 * HOUR, never, clocks(jumps));
    expect(waited.isOver).toBe(isOver);
    expect(Math.abs(waited.waitedMs - ms)).toBeLessThanOrEqual(1000);
  },
);

test("exits at once when it is interrupted", async () => {
  const signal = AbortSignal.timeout(50);
  const left = waitUntil(Date.now() + HOUR, HOUR, signal);
  // Before it would have looked at the clock again.
  expect(await Promise.race([left, sleep(900)])).toMatchObject({ isOver: false });
});
