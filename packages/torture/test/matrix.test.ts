import { expect, test } from "vitest";
import { formatKill, tortureQuasar } from "../src/index.ts";
import { MAIN } from "./mutants.ts";

const quasar = { file: process.execPath, args: [MAIN] };

test("a run killed at any of its steps ends like one that never was", async () => {
  const { whole, trials, alike } = await tortureQuasar({ quasar });
  const steps = whole.lives[0]?.steps ?? [];
  expect(steps.length).toBeGreaterThan(150);
  expect(trials.length + alike).toBe(2 * steps.length);
  expect(trials.length).toBeGreaterThan(150);
  expect(Object.values(whole.facts["journal"] as object)).toEqual(Array(9).fill(1));
  expect(whole.facts["commits"]).toHaveLength(3);
  expect(Object.keys(whole.facts["requests"] as object)).toHaveLength(8);
  const failed = trials.filter(({ deviations }) => deviations.length > 0);
  expect(failed.map(({ kills, deviations }) => [kills.map(formatKill), deviations])).toEqual([]);
}, 600_000);

test("a run killed at any moments stays within its budget, and books all that is billed", async () => {
  const { trials } = await tortureQuasar({ quasar, random: 6, budgetUsd: 1.2 });
  const failed = trials.filter(({ deviations }) => deviations.length > 0);
  expect(failed.map(({ kills, deviations }) => [kills.map(formatKill), deviations])).toEqual([]);
}, 600_000);
