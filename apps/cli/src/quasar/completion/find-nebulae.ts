import { findNebula, isUnfinished, listNebulae } from "@quasar/nebula";
import { nebulaNow } from "@quasar/nebula/internal";
import { openWorkspace } from "@quasar/runs/internal";
import { type Candidate, MOST } from "../../shared/completion/values.ts";
import { standingNow } from "../nebula/standing.ts";

/** Nebulae of the repository, the newest first, by their ids. */
export async function findNebulae(typed: string): Promise<readonly Candidate[]> {
  const { repositoryId } = await openWorkspace(process.cwd());
  return listNebulae(repositoryId)
    .filter(({ id }) => id.startsWith(typed))
    .slice(0, MOST)
    .map((state) => [state.id, `${state.name}: ${isUnfinished(state) ? "unfinished" : "ended"}`]);
}

/** Phases of the nebula that was named before, else of the one that is meant without a name. */
export async function findPhases(
  typed: string,
  [named]: readonly string[],
): Promise<readonly Candidate[]> {
  const { repositoryId } = await openWorkspace(process.cwd());
  const state = findNebula(repositoryId, named);
  const now = await nebulaNow(repositoryId, state);
  return state.phases
    .filter(({ id }) => id.startsWith(typed))
    .slice(0, MOST)
    .map((phase) => [phase.id, standingNow(phase, now)]);
}

/** Nebulae, and phases of the one that is meant without a name. */
export async function findNebulaeAndPhases(typed: string): Promise<readonly Candidate[]> {
  const nebulae = await findNebulae(typed);
  try {
    return [...nebulae, ...(await findPhases(typed, []))];
  } catch {
    return nebulae; // there is none, or several are unfinished
  }
}
