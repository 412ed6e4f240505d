import { exploreCrashes } from "@quasar/durable/testing";
import { describe, expect, test } from "vitest";
import { life, MUTANTS, observeUnrepaired } from "./crash.ts";

const isLong = process.env["QUASAR_PROOF"] === "long";
const MAX_STATES = isLong ? 1_000_000 : 200_000;

test("a crash leaves the acknowledged task or the one begun, in every state, and opening repairs it", {
  timeout: 1_200_000,
}, () => {
  const report = exploreCrashes({ seed: 1, maxStates: MAX_STATES, ...life });
  expect(report.findings).toEqual([]);
  expect(report.bad).toBe(0);
  expect(report.states).toBeGreaterThanOrEqual(MAX_STATES);
});

test("the explorer notices that nothing is repaired", () => {
  const options = { seed: 1, maxStates: 5000, ...life, observe: observeUnrepaired };
  expect(exploreCrashes(options).bad).toBeGreaterThan(0);
});

describe("the explorer notices that", () => {
  test.for(Object.entries(MUTANTS))("%s", { timeout: 120_000 }, ([, mutate]) => {
    const options = { seed: 1, maxStates: 5000, ...life, mutate };
    expect(exploreCrashes(options).bad).toBeGreaterThan(0);
  });
});
