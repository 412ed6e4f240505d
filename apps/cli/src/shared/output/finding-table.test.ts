import { expect, test } from "vitest";
import { findingTable } from "./finding-table.ts";

test("what a check printed keeps its lines, a reviewer's finding is a paragraph", () => {
  const finding = { id: "f-1", severity: "major", cycle: 1, status: "found" } as const;
  const lines = findingTable(
    [
      { ...finding, description: "[filter:npm test] one failed\n  at a.ts:1\n\n  at b.ts:2\n" },
      { ...finding, description: "No test\nfor it." },
    ],
    { columns: 80, paint: (_style, text) => text, live: false },
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
