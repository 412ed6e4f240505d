import { describe, expect, test } from "vitest";
import { exploreCrashes } from "../src/testing.ts";
import { MUTANTS } from "./mutants.ts";
import { observe, resume, workload } from "./protocol.ts";

const isLong = process.env["QUASAR_PROOF"] === "long";
const MAX_STATES = isLong ? 20_000_000 : 1_000_000;

test("a crash leaves what was acknowledged or what was begun, whole, in every state", {
  timeout: 600_000,
}, () => {
  const report = exploreCrashes({ seed: 1, maxStates: MAX_STATES, workload, resume, observe });
  expect(report.findings).toEqual([]);
  expect(report.bad).toBe(0);
  expect(report.states).toBeGreaterThanOrEqual(MAX_STATES);
});

describe("the explorer notices that", () => {
  for (const [name, mutate] of Object.entries(MUTANTS)) {
    test(name, { timeout: 30_000 }, () => {
      const options = { seed: 1, maxStates: 50_000, workload, resume, observe, mutate };
      expect(exploreCrashes(options).bad).toBeGreaterThan(0);
    });
  }
});
