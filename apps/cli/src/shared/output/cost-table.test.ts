import { expect, test } from "vitest";
import { costOfOpenTurn, costOfTurn, costTable } from "./cost-table.ts";

const view = { columns: 80, paint: (_style: unknown, text: string) => text, live: false } as const;
const turn = { role: "coder", cycle: 1, attempt: 1, status: "settled", unknownUsd: 0 } as const;
const one = costOfTurn({ ...turn, turnId: "r.1", costUsd: 0.07, source: "reported" });
const two = costOfTurn({
  ...turn,
  turnId: "r.2",
  costUsd: 1.06,
  unknownUsd: 0.96,
  source: "partial",
});

test("each turn is a line, with a letter for who says what it cost, and a last line adds them up", () => {
  expect(costTable([one, two, one], 1.2, view)).toEqual([
    "   turn  role   cycle  end   counts  unknown  by",
    "      1  coder      1  done   $0.07           a",
    "      2  coder      1  done   $1.06    $0.96  m",
    "      1  coder      1  done   $0.07           a",
    "  total                       $1.20",
    "",
    "  by       a reported by the agent, m partly known",
  ]);
});

test("the turns of a task's steps fit into 80 columns, the open one included", () => {
  const step = "implement-12";
  const rows = [one, costOfOpenTurn(4.5)].map((row) => ({ ...row, step }));
  const lines = costTable(rows, 4.57, view);
  expect(lines[3]).toMatch(/^ {2}total +\$4\.57$/u);
  expect(lines[2]).toMatch(/^ {2}implement-12 +open +\$4\.50 +f$/u);
});

test("one turn needs no sum", () => {
  expect(costTable([one], 0.07, view).join("\n")).not.toContain("total");
});
