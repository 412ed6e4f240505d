import type { PrunedNebula } from "@quasar/nebula/internal";
import { count } from "@quasar/runs/text";

/** What a nebula loses. Before a work tree goes, refs keep what is uncommitted in it: they go, too, and are not there yet. */
export function lostWords(
  { trees, refs }: Pick<PrunedNebula, "trees" | "refs">,
  isDryRun: boolean,
): string {
  const least = isDryRun && trees.length > 0 ? "at least " : "";
  return `its state, ${least}${count(refs.length, "ref")} and ${count(trees.length, "work tree")}`;
}
