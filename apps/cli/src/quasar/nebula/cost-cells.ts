import { knownUsd, type RunSpending } from "@quasar/runs/internal";
import { money } from "@quasar/runs/text";
import type { Align } from "../../shared/output/table.ts";

/** The columns of a cost: what is known, and what turns have cost at most whose cost is not; that one only where there are any. */
export const COST_HEAD: readonly string[] = ["cost", "up to more"];
export const COST_ALIGN: readonly Align[] = ["right", "right"];

export function costCells(spending: RunSpending): readonly string[] {
  const { unknownUsd } = spending;
  return [money(knownUsd(spending)), unknownUsd > 0 ? money(unknownUsd) : ""];
}
