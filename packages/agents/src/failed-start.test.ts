import { expect, test } from "vitest";
import { isFailedStart } from "./failed-start.ts";

const end = { stopped: undefined, exitCode: 1, durationMs: 9_999 };

test.for([
  ["soon, in error and without a word", end, "", true],
  ["after so long that it may have worked", { ...end, durationMs: 10_000 }, "", false],
  ["with a word", end, "one", false],
  ["well", { ...end, exitCode: 0 }, "", false],
  ["by a signal", { ...end, exitCode: null }, "", false],
  ["by a signal, as a shell says it", { ...end, exitCode: 137 }, "", false],
] as const)("an agent that ended %s", ([, outcome, text, isFailed]) => {
  expect(isFailedStart(outcome, text)).toBe(isFailed);
});
