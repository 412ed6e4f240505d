import type { RunSpending } from "@quasar/runs/internal";
import { money } from "@quasar/runs/text";

const CENT = 0.01;

/** What counts as spent, in a cell; marked where a part of it was spent at most. */
export function costCell({ spentUsd, unknownUsd }: RunSpending): string {
  return unknownUsd > 0 ? `≤${money(Math.max(spentUsd, CENT))}` : money(spentUsd);
}
