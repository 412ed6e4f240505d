import { expect, test } from "vitest";
import type { Checkpoint } from "./checkpoint.ts";
import { PHASES, type Phase } from "./phases.ts";
import { aCheckpoint } from "./testing.ts";
import { validateCheckpoint } from "./validate.ts";

const head = "a".repeat(40);
const other = "b".repeat(40);

test("seed 3: validate returns for a valid checkpoint with matching git SHA", () => {
  expect(() => validateCheckpoint(aCheckpoint(), head)).not.toThrow();
});

test.for(PHASES.filter((phase) => phase !== "error"))("lets phase %s pass", (phase) => {
  expect(() => validateCheckpoint(aCheckpoint({ phase }), head)).not.toThrow();
});

test.for<[string, Partial<Checkpoint>, string]>([
  ["seed 3: ERR_INCOMPATIBLE_VERSION for version != 1", { version: 2 }, "ERR_INCOMPATIBLE_VERSION"],
  ["version 0", { version: 0 }, "ERR_INCOMPATIBLE_VERSION"],
  [
    "another version, whatever else is wrong",
    { version: 2, gitSha: other, cycle: 0, phase: "error" },
    "ERR_INCOMPATIBLE_VERSION",
  ],
  ["seed 3: ERR_GIT_SHA_MISMATCH when SHAs differ", { gitSha: other }, "ERR_GIT_SHA_MISMATCH"],
  ["another commit, whatever the cycle is", { gitSha: "", cycle: 0 }, "ERR_GIT_SHA_MISMATCH"],
  ["seed 3: ERR_INVALID_CHECKPOINT for cycle < 1", { cycle: 0 }, "ERR_INVALID_CHECKPOINT"],
  ["a negative cycle", { cycle: -1 }, "ERR_INVALID_CHECKPOINT"],
  ["half a cycle", { cycle: 1.5 }, "ERR_INVALID_CHECKPOINT"],
  [
    "seed 3: ERR_INVALID_CHECKPOINT for invalid phase",
    { phase: "error" },
    "ERR_INVALID_CHECKPOINT",
  ],
  ["an unknown phase", { phase: "lunch" as Phase }, "ERR_INVALID_CHECKPOINT"],
  ["a cost that is no number", { totalCostUsd: Number.NaN }, "ERR_INVALID_CHECKPOINT"],
  ["an endless cost", { totalCostUsd: Infinity }, "ERR_INVALID_CHECKPOINT"],
  ["a negative cost", { totalCostUsd: -0.01 }, "ERR_INVALID_CHECKPOINT"],
  ["a budget that is no number", { maxBudgetUsd: Number.NaN }, "ERR_INVALID_CHECKPOINT"],
  ["a budget without end", { maxBudgetUsd: Infinity }, "ERR_INVALID_CHECKPOINT"],
  ["a negative budget", { maxBudgetUsd: -1 }, "ERR_INVALID_CHECKPOINT"],
])("refuses %s", ([, change, code]) => {
  const act = (): void => validateCheckpoint(aCheckpoint(change), head);
  expect(act).toThrow(expect.objectContaining({ name: "CheckpointError", code }));
});

test("seed 3: names both SHAs when they differ", () => {
  const act = (): void => validateCheckpoint(aCheckpoint({ gitSha: other }), head);
  expect(act).toThrow(new RegExp(`${other}.*${head}`));
});

test.for([
  [2, "newer"],
  [0, "older"],
] as const)("says of version %i that it is %s", ([version, word]) => {
  expect(() => validateCheckpoint(aCheckpoint({ version }), head)).toThrow(word);
});
