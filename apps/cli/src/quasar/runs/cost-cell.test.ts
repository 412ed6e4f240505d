import { expect, test } from "vitest";
import { costCell } from "./cost-cell.ts";

test.for([
  [0, 0, "$0.00"],
  [0.004, 0, "<$0.01"],
  [0.004, 0.004, "≤$0.01"],
  [1.5, 0.5, "≤$1.50"],
] as const)(
  "of $%d that count as spent, $%d unknown, it says %s",
  ([spentUsd, unknownUsd, cell]) => {
    expect(costCell({ spentUsd, unknownUsd })).toBe(cell);
  },
);
