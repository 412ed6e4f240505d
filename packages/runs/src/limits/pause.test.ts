import { expect, test } from "vitest";
import { limitWords, pauseFor } from "./pause.ts";

const [MINUTE, HOUR] = [60_000, 3_600_000];
const NOW = Date.parse("2026-11-21T12:00:00Z");
const at = (ms: number): string => new Date(NOW + ms).toISOString();
const patience = (limitMs: number, waitedMs = 0, tries = 0) => ({ limitMs, waitedMs, tries });

test.for([
  ["a known time", at(2 * HOUR), patience(6 * HOUR), 2 * HOUR],
  ["a known time, to the last moment", at(6 * HOUR), patience(6 * HOUR), 6 * HOUR],
  ["a minute first where it is unknown", undefined, patience(6 * HOUR), MINUTE],
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
  ["the next pause is too long", undefined, patience(HOUR, HOUR - 1, 9), /it is unknown when/u],
] as const)("does not wait when %s, and says so", ([, retryAt, given, words]) => {
  expect(pauseFor(retryAt, given, NOW)).toEqual({ refused: expect.stringMatching(words) });
});

test("takes an invalid time for an unknown one", () => {
  expect(limitWords("soon", NOW)).toContain("it is unknown when");
  expect(pauseFor("soon", patience(HOUR), NOW)).toEqual({ until: NOW + MINUTE });
});
