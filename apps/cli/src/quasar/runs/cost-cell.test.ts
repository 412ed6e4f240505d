import { expect, test } from "vitest";
import { costCell } from "./cost-cell.ts";

test.for([
  [0, 0, false, "$0.00"],
  [0.004, 0, false, "<$0.01"],
  [0.004, 0.004, false, "≤$0.01"],
  [1.5, 0.5, false, "≤$1.50"],
  [0, 0, true, "≥$0.00"],
  [1.5, 0.5, true, "≥$1.00"],
] as const)(
  "of $%d that count as spent, $%d unknown, others unreported: %s, it says %s",
  ([spentUsd, unknownUsd, hasUnreportedCosts, cell]) => {
    expect(costCell({ spentUsd, unknownUsd, hasUnreportedCosts })).toBe(cell);
  },
);
