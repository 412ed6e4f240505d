import { createCheckpoint } from "@quasar/checkpoint";
import { expect, test } from "vitest";
import { aFinding } from "../../test/fixtures.ts";
import { stateFromCheckpoint } from "../convert.ts";
import type { CycleState } from "../state.ts";
import { STRUGGLE_THRESHOLD, struggleScore } from "./struggle.ts";

const state = (change: Partial<CycleState>): CycleState => ({
  ...stateFromCheckpoint(createCheckpoint({ cycle: 2, maxCycles: 3, maxBudgetUsd: 3 })),
  ...change,
});

const old = aFinding({ description: "the handler does not check its input", cycle: 1 });
const same = aFinding({ description: "The handler does not check its  input", cycle: 2 });
const other = aFinding({ description: "a test is missing for the empty list", cycle: 2 });

const rows: readonly (readonly [name: string, change: Partial<CycleState>, score: number])[] = [
  ["a first cycle", { cycle: 1, filterHistory: ["a", "a"], totalCostUsd: 3 }, 0],
  ["nothing in common", { findings: [other], allFindings: [old, other] }, 0],
  ["a finding that came back", { findings: [same], allFindings: [old, same] }, 0.4],
  [
    "half of the findings came back",
    { findings: [same, other], allFindings: [old, same, other] },
    0.4 * (0.5 / 0.6),
  ],
  ["the same filter twice", { filterHistory: ["a", "a"] }, 0.35],
  ["the same filter once", { filterHistory: ["", "a"] }, 0.175],
  ["another filter", { filterHistory: ["b", "a"] }, 0.175],
  ["a filter that passed since", { filterHistory: ["a", ""] }, 0],
  ["money gone at the planned rate", { totalCostUsd: 2 }, 0.25],
  ["money without a budget", { totalCostUsd: 2, maxBudgetUsd: 0 }, 0],
  [
    "everything",
    { findings: [same], allFindings: [old, same], filterHistory: ["a", "a"], totalCostUsd: 3 },
    1,
  ],
];
test.for(rows)("scores %s", ([, change, score]) => {
  expect(struggleScore(state(change))).toBeCloseTo(score, 10);
});

test("does not take a cycle's findings for repetitions of themselves", () => {
  const unrelated = state({ findings: [other], allFindings: [old, other], totalCostUsd: 3 });
  expect(struggleScore(unrelated)).toBeLessThan(STRUGGLE_THRESHOLD);
});
