import { exploreCrashes, type ExploreCrashesOptions } from "@quasar/durable/testing";
import { byLane } from "@quasar/vitest/lane";
import { describe, expect, test } from "vitest";
import { damagedLife, life, MUTANTS, observeUnrepaired } from "./crash.ts";

const MAX_STATES = byLane({ fast: 4000, whole: 50_000, long: 1_000_000 });

test("a crash leaves the acknowledged task or the one begun, in every state, and opening repairs it", {
  timeout: 1_200_000,
}, () => {
  const report = exploreCrashes({ seed: 1, maxStates: MAX_STATES, ...life });
  expect(report.findings).toEqual([]);
  expect(report.bad).toBe(0);
  expect(report.states).toBeGreaterThanOrEqual(MAX_STATES);
});

test("a crash while a person is put in charge asks that person once, in every state", () => {
  const report = exploreCrashes({ seed: 1, maxStates: MAX_STATES / 20, ...damagedLife });
  expect(report.findings).toEqual([]);
  expect(report.bad).toBe(0);
});

/** Looks at one life after the other until one breaks the promise. */
function isNoticed(options: Partial<ExploreCrashesOptions>): boolean {
  const one = { ...life, ...options, maxRounds: 1, maxStates: 1, statesPerPoint: 8 };
  for (let seed = 1; seed <= 100; seed += 1) {
    if (exploreCrashes({ ...one, seed }).bad > 0) return true;
  }
  return false;
}

describe("the explorer notices that", () => {
  test("nothing is repaired", () => {
    expect(isNoticed({ observe: observeUnrepaired })).toBe(true);
  });

  test.for(MUTANTS)("%s", ([, model, mutate]) => {
    expect(isNoticed({ models: [model], mutate })).toBe(true);
  });
});
