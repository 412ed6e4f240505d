import { expect, test } from "vitest";
import { COST_HEAD, costCells } from "./turn-cells.ts";

const turn = {
  turnId: "run.2",
  role: "reviewer",
  cycle: 1,
  attempt: 1,
  status: "lost",
  costUsd: 1.06,
  unknownUsd: 0.96,
  source: "partial",
} as const;

const told = (cells: readonly string[]): readonly string[] => cells.slice(-3);

test("a cost that is known in part counts with an unknown part, which is named", () => {
  expect(told(COST_HEAD)).toEqual(["counts", "unknown", ""]);
  expect(told(costCells(turn))).toEqual(["$1.06", "$0.96", "partly known"]);
});

test("a cost that is known has no unknown part", () => {
  const known = { ...turn, status: "settled", costUsd: 0.001, unknownUsd: 0, source: "reported" };
  expect(told(costCells(known as typeof turn))).toEqual(["<$0.01", "", "reported by the agent"]);
});
