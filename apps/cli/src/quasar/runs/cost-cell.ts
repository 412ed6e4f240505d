import { knownUsd, type RunSpending } from "@quasar/runs/internal";
import { money } from "@quasar/runs/text";

const CENT = 0.01;

/** What counts as spent, in a cell: as its most where a part is not known, as its least where turns reported no cost. */
export function costCell(spending: CellSpending): string {
  const { spentUsd, unknownUsd, hasUnreportedCosts = false } = spending;
  if (hasUnreportedCosts) return `≥${money(knownUsd(spending))}`;
  return unknownUsd > 0 ? `≤${money(Math.max(spentUsd, CENT))}` : money(spentUsd);
}

type CellSpending = Omit<RunSpending, "hasUnreportedCosts"> & Partial<RunSpending>;
