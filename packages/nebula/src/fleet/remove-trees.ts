import { existsSync } from "node:fs";
import { join } from "node:path";
import { type HandOptions, handEngine } from "../engine/carry-out.ts";
import { removeLandedTrees } from "../trees/tree.ts";
import { openClone } from "./clone.ts";
import { fleetTrees } from "./place.ts";

export interface RemoveTreesOptions extends Omit<HandOptions, "repository"> {
  /** Of the repository in which phases are worked on here. */
  readonly root: string;
  readonly depot: string;
}

/** Removes the work trees of this machine that nobody needs any more, as an engine does after each landing. */
export async function removeTrees(options: RemoveTreesOptions): Promise<void> {
  const { root, depot, state, signal, env, stateFolder } = options;
  const trees = fleetTrees(root, state.id, { env, state: stateFolder });
  const landed = state.phases.filter(({ status }) => status === "done");
  if (!landed.some(({ ref }) => existsSync(join(trees, ref)))) return;
  const repository = await openClone({ root, depot, state, signal });
  const orders = () => ({ isPaused: false, isStopping: false });
  const hand = { maxBudgetUsd: 0, isForeign: false, orders, beforeTurn: async () => {} };
  await removeLandedTrees(await handEngine({ ...options, repository }, hand));
}
