import { byLane, lane, randomOf, seed } from "@quasar/vitest/lane";
import { expect, test } from "vitest";
import { tortureQuasar } from "../../src/torture/quasar/torture.ts";
import { formatKill, type KillKind } from "@quasar/torture";
import { MAIN } from "./mutants.ts";

const draw = randomOf(seed);

const KINDS: readonly KillKind[] = ["runner", "everything"];

/** In which of the ways a step is killed: few of all, a quarter of the steps in one way, all. */
const drawKinds = byLane<() => readonly KillKind[]>({
  fast: () => KINDS.filter(() => draw() < 1 / 60),
  whole: () => KINDS.filter(() => draw() < 1 / (4 * KINDS.length)),
  long: () => KINDS,
});
/** The share of the lesser steps: writes, syncs, links, unlinks. */
const LESSER = byLane({ fast: 1, whole: 1 / 12, long: 1 });

const quasar = { file: process.execPath, args: [MAIN] };

test("a run killed at any of its steps ends like one that never was", async () => {
  let chosen = 0;
  const kindsAt = new Map<string, readonly KillKind[]>();
  const points = (step: string, kind: KillKind, life: number): boolean => {
    const at = `${step} in life ${life}`;
    const kinds = kindsAt.get(at) ?? drawKinds();
    kindsAt.set(at, kinds);
    chosen += Number(kinds.includes(kind));
    return kinds.includes(kind);
  };
  const { whole, trials, alike } = await tortureQuasar({ quasar, points, share: LESSER, seed });
  const steps = whole.lives[0]?.steps ?? [];
  expect(steps.length).toBeGreaterThan(150);
  expect(trials.length + alike).toBe(chosen);
  if (lane !== "fast") expect(trials.length).toBeGreaterThan(3);
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
    random: byLane({ fast: 1, whole: 2, long: 6 }),
    budgetUsd: 1.2,
  });
  const failed = trials.filter(({ deviations }) => deviations.length > 0);
  expect(failed.map(({ kills, deviations }) => [kills.map(formatKill), deviations])).toEqual([]);
}, 600_000);
