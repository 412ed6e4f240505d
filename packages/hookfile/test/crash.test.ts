import { exploreCrashes } from "@quasar/durable/testing";
import { describe, expect, test } from "vitest";
import { life, MUTANTS } from "./crash.ts";

const isLong = process.env["QUASAR_PROOF"] === "long";
const MAX_STATES = isLong ? 1_000_000 : 200_000;

test("a crash leaves the acknowledged task or the one begun, in every state, and opening repairs it", {
  timeout: 1_200_000,
}, () => {
  const t = performance.now();
  const report = exploreCrashes({ seed: 1, maxStates: MAX_STATES, ...life });
  console.log(performance.now() - t, { ...report, findings: report.findings.slice(0, 3) });
  expect(report.findings).toEqual([]);
  expect(report.bad).toBe(0);
  expect(report.states).toBeGreaterThanOrEqual(MAX_STATES);
});

describe("the explorer notices that", () => {
  test.for(Object.entries(MUTANTS))("%s", { timeout: 120_000 }, ([, mutate]) => {
    const options = { seed: 1, maxStates: 20_000, ...life, mutate };
    expect(exploreCrashes(options).bad).toBeGreaterThan(0);
  });
});
