import type { NebulaOfFleet } from "../quasar/fleet/nebula.ts";
import type { Watched } from "../quasar/runs/find-watched.ts";
import { isWithinRun } from "../shared/within-run.ts";
import { type CockpitOptions, type Left, openCockpit } from "./cockpit.tsx";
import { abilitiesOf } from "./model/paint.ts";

/** Opens the cockpit on a run or a nebula. @param ended - Of work that this process does: see {@link CockpitOptions}. */
export async function openOn(watched: Watched, ended?: AbortSignal): Promise<Left> {
  const { root } = watched.workspace;
  const abilities = abilitiesOf(process.env);
  return openCockpit({ ...(await openWatched(watched)), root, abilities, ended });
}

/** The same on a nebula of a fleet, which other machines work on. */
export async function openOnFleet(nebula: NebulaOfFleet): Promise<Left> {
  const { createFleetDecider, openFleetSource } = await import("./live/fleet.ts");
  const source = openFleetSource(nebula);
  const { port, id } = nebula;
  const decider = isWithinRun()
    ? undefined
    : createFleetDecider({ port, id, stateNow: () => source.state });
  try {
    const abilities = abilitiesOf(process.env);
    return await openCockpit({ source, decider, abilities, root: undefined });
  } finally {
    source.close();
  }
}

/** What is only of nebulae is loaded for a nebula alone. */
async function openWatched({
  kind,
  id,
  workspace,
}: Watched): Promise<Pick<CockpitOptions, "source" | "decider">> {
  if (kind === "run") {
    const { openRunSource } = await import("./live/run-source.ts");
    return { source: openRunSource(workspace, id), decider: undefined };
  }
  const { createDecider, openNebulaSource } = await import("./live/nebula.ts");
  // An agent that a run has started may look, and decides nothing.
  const isPerson = !isWithinRun();
  return {
    source: openNebulaSource(workspace, id, { runs: "newest" }),
    decider: isPerson ? createDecider(workspace.repositoryId, id) : undefined,
  };
}
