import { expect, test } from "vitest";
import { aCheckpoint, aTurn } from "../../test/fixtures.ts";
import { nextRole } from "./to-come.ts";

const started = (role: "coder" | "reviewer") => aTurn({ role, status: "started" });

test.for([
  ["coder", "begins a run", { phase: "bead_created" }],
  ["coder", "was cut off", { phase: "coding", turn: started("coder") }],
  ["reviewer", "was cut off", { phase: "reviewing", turn: started("reviewer") }],
  ["reviewer", "comes after the checks", { phase: "filtering", turn: aTurn() }],
  ["coder", "has findings to fix, and all of the budget is spent", { totalCostUsd: 3 }],
  ["coder", "is all that is left where the work is approved", { phase: "approved" }],
] as const)("the %s's turn is next where it %s", ([role, , change]) => {
  expect(nextRole(aCheckpoint({ reviewOutput: "ISSUE:", ...change }))).toBe(role);
});
