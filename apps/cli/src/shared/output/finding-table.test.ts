import { expect, test } from "vitest";
import { findingTable } from "./finding-table.ts";

const view = { columns: 80, paint: (_style: string, text: string) => text, live: false } as const;

test("the findings of a task name the run that they are of", () => {
  const finding = { id: "f-1", severity: "minor", cycle: 2, status: "fixed" } as const;
  expect(findingTable([{ ...finding, run: "implement-1", description: "No test." }], view)).toEqual(
    [
      "  run          cycle  status  severity  finding",
      "  implement-1      2  fixed   minor     No test.",
    ],
  );
});

test("what a check printed keeps its lines, a reviewer's finding is a paragraph", () => {
  const finding = { id: "f-1", severity: "major", cycle: 1, status: "found" } as const;
  const lines = findingTable(
    [
      { ...finding, description: "[filter:npm test] one failed\n  at a.ts:1\n\n  at b.ts:2\n" },
      { ...finding, description: "No test\nfor it." },
    ],
    view,
  );
  expect(lines).toEqual([
    "  cycle  status  severity  finding",
    "      1  found   major     npm test failed",
    "                           one failed",
    "                             at a.ts:1",
    "                             at b.ts:2",
    "      1  found   major     No test for it.",
  ]);
});
