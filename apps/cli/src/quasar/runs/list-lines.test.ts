import type { ListedRun } from "@quasar/runs/internal";
import { expect, test } from "vitest";
import type { View } from "../../shared/output/text.ts";
import { listLines } from "./text.ts";

const plain: View = { columns: undefined, paint: (_style, text) => text, live: false };

const run: ListedRun = {
  id: "20261126-134500-12e7db",
  status: "stopped",
  task: "Write",
  reason: "",
  cycle: 1,
  spentUsd: 1.62,
  unknownUsd: 0,
  savedAt: "",
};

test("a list marks what was spent at most", () => {
  const [known = "", unknown = ""] = listLines([run, { ...run, unknownUsd: 0.96 }], plain);
  expect(known).toContain("    $1.62  Write");
  expect(unknown).toContain("   ≤$1.62  Write");
});
