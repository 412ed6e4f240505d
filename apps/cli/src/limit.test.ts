import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { type Clocks, limitWords, pauseFor, waitUntil } from "./limit.ts";

const [MINUTE, HOUR] = [60_000, 3_600_000];
const NOW = Date.parse("2026-11-21T12:00:00Z");
const at = (ms: number): string => new Date(NOW + ms).toISOString();
const patience = (limitMs: number, waitedMs = 0, tries = 0) => ({ limitMs, waitedMs, tries });

test.for([
  ["a known time", at(2 * HOUR), patience(6 * HOUR), 2 * HOUR],
  ["a known time, to the last moment", at(6 * HOUR), patience(6 * HOUR), 6 * HOUR],
  ["a minute first where nobody knows", undefined, patience(6 * HOUR), MINUTE],
  ["longer and longer", undefined, patience(6 * HOUR, 3 * MINUTE, 2), 4 * MINUTE],
  ["half an hour at most", undefined, patience(6 * HOUR, HOUR, 40), 30 * MINUTE],
  ["a minute where the time is past and the limit holds", at(-HOUR), patience(HOUR), MINUTE],
  ["longer where a limit outlives its own time", at(1), patience(HOUR, HOUR / 2, 2), 4 * MINUTE],
] as const)("waits for %s", ([, retryAt, given, ms]) => {
  expect(pauseFor(retryAt, given, NOW)).toEqual({ until: NOW + ms });
});

test.for([
  ["nobody waits", at(HOUR), patience(0), /lifted at .* \(in 1 h\)$/u],
  ["it is lifted too late", at(6 * HOUR + 1), patience(6 * HOUR), /at most 6 h$/u],
  ["too much was waited already", at(2 * HOUR), patience(6 * HOUR, 5 * HOUR), /5 h are over$/u],
  ["the next pause is too long", undefined, patience(HOUR, HOUR - 1, 9), /nobody says when/u],
] as const)("does not wait when %s, and says so", ([, retryAt, given, words]) => {
  expect(pauseFor(retryAt, given, NOW)).toEqual({ refused: expect.stringMatching(words) });
});

test("takes a time that is none for one that nobody knows", () => {
  expect(limitWords("soon", NOW)).toContain("nobody says when");
  expect(pauseFor("soon", patience(HOUR), NOW)).toEqual({ until: NOW + MINUTE });
});

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

test("leaves at once when it is interrupted", async () => {
  const signal = AbortSignal.timeout(50);
  const left = waitUntil(Date.now() + HOUR, HOUR, signal);
  // Before it would have looked at the clock again.
  expect(await Promise.race([left, sleep(900)])).toMatchObject({ isOver: false });
});
