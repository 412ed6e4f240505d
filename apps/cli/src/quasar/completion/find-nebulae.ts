import { findNebula, isUnfinished, listNebulae, type NebulaState } from "@quasar/nebula";
import { openWorkspace } from "@quasar/runs/internal";
import { type Candidate, MOST } from "../../shared/completion/values.ts";

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
  return phasesOf(findNebula(repositoryId, named), typed);
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

function phasesOf({ phases }: NebulaState, typed: string): readonly Candidate[] {
  return phases
    .filter(({ id }) => id.startsWith(typed))
    .slice(0, MOST)
    .map(({ id, status }) => [id, status.replace("_", " ")]);
}
