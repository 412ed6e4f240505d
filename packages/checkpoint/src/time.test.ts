import { expect, test } from "vitest";
import { isTimestamp } from "./time.ts";

test.for([
  ["0001-01-01T00:00:00Z", true],
  ["2026-11-20T18:04:05.123456789-05:00", true],
  ["2026-11-20 18:04:05z", true],
  ["2024-02-29T00:00:00+23:59", true],
  ["2000-02-29T00:00:00Z", true],
  ["1900-02-29T00:00:00Z", false],
  ["2026-02-29T00:00:00Z", false],
  ["2026-02-30T00:00:00Z", false],
  ["2026-04-31T00:00:00Z", false],
  ["2026-13-01T00:00:00Z", false],
  ["2026-00-10T00:00:00Z", false],
  ["2026-01-00T00:00:00Z", false],
  ["2026-01-01T24:00:00Z", false],
  ["2026-01-01T23:60:00Z", false],
  ["2026-06-30T23:59:60Z", false],
  ["2026-01-01T00:00:00+24:00", false],
  ["2026-01-01T00:00:00+00:60", false],
  ["2026-01-01T00:00:00", false],
  ["2026-01-01", false],
  ["00:00:00Z", false],
  ["2026-01-01T00:00Z", false],
  ["2026-01-01T00:00:00.Z", false],
  ["+12026-01-01T00:00:00Z", false],
  ["2026-01-01T00:00:00Z\nphase = 9", false],
  ["", false],
] as const)("%j is a time: %j", ([text, expected]) => {
  expect(isTimestamp(text)).toBe(expected);
});
