import { widthOf } from "@quasar/runs/text";
import { expect, test } from "vitest";
import { tableLines } from "./table.ts";
import type { View } from "./text.ts";

const viewOf = (columns: number | undefined): View => ({
  columns,
  paint: (_style, text) => text,
  live: false,
});

const HEAD = ["n", "unused", "cost", ""];
const ALIGN = ["right", "left", "right", "left"] as const;
const ROWS = [
  ["1", "", "$0.30", "the agent says so"],
  ["10", "", "$12.00", "known in part, the rest as reserved"],
];

test("a table is aligned, and a column in which nothing is said is left out", () => {
  expect(tableLines(HEAD, ROWS, ALIGN, viewOf(undefined))).toEqual([
    "   n    cost",
    "   1   $0.30  the agent says so",
    "  10  $12.00  known in part, the rest as reserved",
  ]);
});

test("what does not fit continues under the beginning of its cell", () => {
  expect(tableLines(HEAD, ROWS, ALIGN, viewOf(36))).toEqual([
    "   n    cost",
    "   1   $0.30  the agent says so",
    "  10  $12.00  known in part, the",
    "              rest as reserved",
  ]);
});

test("a last cell that would be wrapped into a narrow column stands below the others", () => {
  const rows = [["task-1b885dae", "awaiting_human (review)", "add-total: Add total() for a list"]];
  const head = ["task", "state", "workspace: title"];
  expect(tableLines(head, rows, ["left", "left", "left"], viewOf(64))).toEqual([
    "  task           state",
    "  task-1b885dae  awaiting_human (review)",
    "      add-total: Add total() for a list",
  ]);
});

test("a last cell may hold several lines", () => {
  const rows = [["git", "a lock is left\n--fix would remove it"]];
  expect(tableLines(["check", "problem"], rows, ["left", "left"], viewOf(undefined))).toEqual([
    "  check  problem",
    "  git    a lock is left",
    "         --fix would remove it",
  ]);
});

test.for([20, 24, 30, 80])("no line is wider than a terminal of %i columns", (columns) => {
  const rows = [...ROWS, ["100", "", "$1.00", `${"x".repeat(90)} 漢字漢字漢字`]];
  for (const line of tableLines(HEAD, rows, ALIGN, viewOf(columns))) {
    expect(widthOf(line)).toBeLessThanOrEqual(columns);
  }
});

test("a last cell for which there is no room stands below the others, and is whole", () => {
  expect(tableLines(HEAD, ROWS, ALIGN, viewOf(24))).toEqual([
    "   n    cost",
    "   1   $0.30",
    "      the agent says so",
    "  10  $12.00",
    "      known in part, the",
    "      rest as reserved",
  ]);
});
