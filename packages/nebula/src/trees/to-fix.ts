import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Repository } from "@quasar/git";
import { afterCoder } from "@quasar/runs/internal";
import { nebulaHome, runsFolder } from "../state/home.ts";
import type { NebulaState } from "../state/state.ts";
import { type TreePlaces, treesFolder } from "./place.ts";

/**
 * The work trees that hold what the coders of failed phases have finished and could not be committed, by the phases' ids:
 * a retry tries the commit with whatever a person has made of them.
 */
export async function treesToFix(
  repository: Pick<Repository, "root" | "commonDir">,
  state: Pick<NebulaState, "id" | "trees" | "treesOf" | "phases">,
  places: TreePlaces,
): Promise<ReadonlyMap<string, string>> {
  const home = nebulaHome(repository.commonDir, state.id);
  const trees = new Map<string, string>();
  for (const { id, ref, runId, status, isCoderDone } of state.phases) {
    if (status !== "failed" || !isCoderDone) continue;
    const path = join(treesFolder(repository, state, places), ref);
    if (!existsSync(path)) continue;
    const after = await afterCoder(join(runsFolder(home, ref), runId)).catch(() => undefined);
    if (after?.step === "commit") trees.set(id, path);
  }
  return trees;
}
