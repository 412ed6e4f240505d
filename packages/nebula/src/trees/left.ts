import { existsSync } from "node:fs";
import type { Repository } from "@quasar/git";
import type { NebulaState } from "../state/state.ts";
import { type TreePlaces, treesFolder } from "./place.ts";

/** Whether work trees of a nebula are there: of one that has ended, a crash has left them, and a resume removes them. */
export function hasTrees(
  repository: Pick<Repository, "root" | "commonDir">,
  state: Pick<NebulaState, "id" | "trees" | "treesOf">,
  places: TreePlaces,
): boolean {
  return existsSync(treesFolder(repository, state, places));
}
