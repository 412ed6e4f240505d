import { commitTree, landingDate } from "@quasar/git/landing";
import type { Engine } from "../context/context.ts";
import type { PhaseState } from "../state/state.ts";

export const AUTHOR = { name: "Quasar", email: "quasar@localhost" };

/**
 * The commit that a phase is reworked on: its tip merged with what it was to land on, as a tree with conflict markers
 * where they conflict. It has both parents, so that what comes of it merges whatever its agents do.
 */
export async function conflictCommit(
  { mergeFolder, store, signal }: Engine,
  { ref, tip }: Pick<PhaseState, "ref" | "tip">,
  { onto, tree }: { readonly onto: string; readonly tree: string },
): Promise<string> {
  const parents = [tip, onto];
  return commitTree(mergeFolder, {
    ...{ tree, parents, author: AUTHOR, signal },
    message: `Merge what has landed into ${ref}\n\nQuasar-Nebula: ${store.current.id}\n`,
    atSeconds: await landingDate(mergeFolder, parents),
  });
}
