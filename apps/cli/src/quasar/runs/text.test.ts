import type { ListedRun } from "@quasar/runs/internal";
import { expect, test } from "vitest";
import { listHead, listLines } from "./text.ts";

const run = {
  id: "20261126-134500-12e7db",
  status: "approved",
  savedAt: "2026-11-26T13:45:00Z",
  cycle: 2,
  spentUsd: 0.24,
  task: "Add total() for a list of prices",
  reason: "",
} as unknown as ListedRun;

const at = (columns: number | undefined) => {
  const view = { columns, paint: (_style: unknown, text: string) => text, live: false };
  return [...listHead(view), ...listLines([run], view)].map((line) =>
    line.replace(/\d{4}-\d\d-\d\d \d\d:\d\d/u, "2026-11-26 13:45"),
  );
};

test("a list of runs has its columns named, and the whole task below them at 80 columns", () => {
  expect(at(80)).toEqual([
    "  run                     saved             status       cycles     cost",
    "  20261126-134500-12e7db  2026-11-26 13:45  approved          2    $0.24",
    "      Add total() for a list of prices",
  ]);
});

test.for([140, undefined])(
  "the task stands in the line of its run where there is room: %s columns",
  (columns) => {
    expect(at(columns)).toEqual([
      "  run                     saved             status       cycles     cost  task",
      "  20261126-134500-12e7db  2026-11-26 13:45  approved          2    $0.24  Add total() for a list of prices",
    ]);
  },
);
