import { join } from "node:path";
import { type TreePlaces, treesFolder } from "../trees/place.ts";

/** Where a machine keeps what it has of a nebula of a fleet. */
export interface FleetPlace {
  /** The repository in which the nebula is scheduled, merged and verified while this machine has the lane. */
  readonly lane: string;
  /** The repository in which phases are worked on. */
  readonly work: string;
  /** What this machine holds: a file for each phase. */
  readonly leases: string;
  /** Copies of run folders that are about to be pushed. */
  readonly staging: string;
}

/**
 * @param stateFolder - The user's: `$XDG_STATE_HOME/quasar`.
 * @param nebula - An id that was checked: it becomes part of a path.
 */
export function fleetPlace(stateFolder: string, nebula: string): FleetPlace {
  const dir = join(stateFolder, "fleet", nebula);
  return {
    lane: join(dir, "lane"),
    work: join(dir, "work"),
    leases: join(dir, "leases"),
    staging: join(dir, "staging"),
  };
}

/** Absolute path of the folder that has the work trees of a nebula's phases on this machine, which need not be there yet. */
export function fleetTrees(work: string, nebula: string, places: TreePlaces): string {
  return treesFolder({ root: work, commonDir: join(work, ".git") }, { id: nebula }, places);
}
