import { findAgents as findIn } from "../../shared/completion/find-agents.ts";
import type { Candidate } from "../../shared/completion/values.ts";
import { userLayers } from "../config/load.ts";
import { atlasHome } from "../home.ts";

/** The agents by their names, those of the user's own included. */
export function findAgents(): readonly Candidate[] {
  return findIn(() => userLayers(atlasHome(process.env), process.env));
}
