import { byLane, lane, randomOf, seed } from "@quasar/vitest/lane";
import { expect, test } from "vitest";
import { formatKill, tortureQuasar } from "../src/index.ts";
import { MAIN } from "./mutants.ts";

/** The share of all kills that are tried, and of those at the lesser steps: writes, syncs, links, unlinks. */
const SHARE = byLane({ fast: 1 / 60, whole: 1, long: 1 });
const LESSER = byLane({ fast: 1, whole: 1 / 6, long: 1 });

const quasar = { file: process.execPath, args: [MAIN] };

test("a run killed at any of its steps ends like one that never was", async () => {
  const draw = randomOf(seed);
  let chosen = 0;
  const points = (): boolean => {
    const isChosen = draw() < SHARE;
    chosen += Number(isChosen);
    return isChosen;
  };
  const { whole, trials, alike } = await tortureQuasar({ quasar, points, share: LESSER, seed });
  const steps = whole.lives[0]?.steps ?? [];
  expect(steps.length).toBeGreaterThan(150);
  expect(trials.length + alike).toBe(chosen);
  if (lane !== "fast") expect(trials.length).toBeGreaterThan(75);
  if (lane === "long") expect(chosen).toBe(2 * steps.length);
  expect(Object.values(whole.facts["journal"] as object)).toEqual(Array(9).fill(1));
  expect(whole.facts["commits"]).toHaveLength(3);
  expect(Object.keys(whole.facts["requests"] as object)).toHaveLength(8);
  const failed = trials.filter(({ deviations }) => deviations.length > 0);
  expect(failed.map(({ kills, deviations }) => [kills.map(formatKill), deviations])).toEqual([]);
}, 600_000);

test("a run killed at any moments stays within its budget, and books all that is billed", async () => {
  const { trials } = await tortureQuasar({
    quasar,
    random: byLane({ fast: 1, whole: 6, long: 6 }),
    budgetUsd: 1.2,
  });
  const failed = trials.filter(({ deviations }) => deviations.length > 0);
  expect(failed.map(({ kills, deviations }) => [kills.map(formatKill), deviations])).toEqual([]);
}, 600_000);
