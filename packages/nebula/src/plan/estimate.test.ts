import { expect, test } from "vitest";
import { aSpec, MANIFEST } from "../../test/a-nebula.ts";
import { estimateCost, type PastPhase } from "./estimate.ts";
import { planNebula } from "./plan.ts";

const cost = (coder: string | undefined, ...all: readonly number[]): readonly PastPhase[] =>
  all.map((costUsd) => ({ costUsd, coder }));

function estimate(past: readonly PastPhase[], keys: Readonly<Record<string, string>> = {}) {
  const spec = aSpec({ a: [], b: [] }, keys, MANIFEST);
  const user = { coder: "one", maxBudgetUsd: 5 };
  return estimateCost(planNebula(spec, { user, hasSubmodules: false }).phases, past);
}

test("without history there is no estimate", () => {
  expect(estimate([])).toBeUndefined();
});

test("each phase likely costs the median of those before it, and no more than its limit", () => {
  expect(estimate(cost(undefined, 1, 9, 2))).toEqual({ likelyUsd: 4, pastCount: 3 });
  expect(estimate(cost(undefined, 1, 2))).toEqual({ likelyUsd: 3, pastCount: 2 });
  expect(estimate(cost(undefined, 8), { a: "max_budget_usd = 0.5" })).toEqual({
    ...{ likelyUsd: 5.5, pastCount: 1 },
  });
});

test("three of the same coder count by themselves, and fewer do not", () => {
  const others = cost("other", 3, 3, 3);
  expect(estimate([...others, ...cost("one", 1, 1, 1)])).toEqual({ likelyUsd: 2, pastCount: 3 });
  expect(estimate([...others, ...cost("one", 1, 1)])).toEqual({ likelyUsd: 6, pastCount: 5 });
  expect(estimate([...others, ...cost("one", 1, 1, 1)], { a: 'coder = "other"' })).toEqual({
    ...{ likelyUsd: 4, pastCount: 6 },
  });
});
