import { exploreCrashes } from "@quasar/durable/testing";
import { byLane, sample } from "@quasar/vitest/lane";
import { describe, expect, test } from "vitest";
import { MUTANTS, phaseOf } from "./crash.ts";

const MAX_STATES = byLane({ fast: 20_000, whole: 100_000, long: 20_000_000 });

test("a crash leaves the acknowledged checkpoint or the one begun, whole, in every state", {
  timeout: 1_200_000,
}, () => {
  const report = exploreCrashes({ seed: 1, maxStates: MAX_STATES, ...phaseOf("") });
  expect(report.findings).toEqual([]);
  expect(report.bad).toBe(0);
  expect(report.states).toBeGreaterThanOrEqual(MAX_STATES);
});

test("a crash brings no file of the Go original back that is under another name than ours", () => {
  const report = exploreCrashes({ seed: 1, maxStates: MAX_STATES / 10, ...phaseOf("P1") });
  expect(report.findings).toEqual([]);
  expect(report.bad).toBe(0);
});

describe("the explorer notices that", () => {
  test.for(sample(Object.entries(MUTANTS), 2))("%s", ([, mutate]) => {
    const options = { seed: 1, maxStates: 20_000, ...phaseOf(""), mutate };
    expect(exploreCrashes(options).bad).toBeGreaterThan(0);
  });
});
