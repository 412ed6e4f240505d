import { existsSync } from "node:fs";
import { join } from "node:path";
import { namesIn } from "@quasar/process/files";
import { type Holder, lockHolder } from "@quasar/runs/internal";
import { stateFolder } from "@quasar/runs/tree";
import { nebulaHome, runsFolder } from "./home.ts";
import type { NebulaState } from "./state.ts";

/**
 * The phases that a worker of the engine has at this moment, by their ids. Its run has the lock of its work tree; as long
 * as there is no run, that tree is made ready.
 *
 * @param commonDir - The git folder that all work trees share.
 */
export function workedOn(
  commonDir: string,
  { id: nebula, phases }: NebulaState,
): ReadonlySet<string> {
  const home = nebulaHome(commonDir, nebula);
  const runs = runnersIn(commonDir);
  return new Set(
    phases
      .filter(({ status }) => status === "running")
      .filter(({ ref, runId }) => {
        const isMade = existsSync(join(runsFolder(home, ref), runId));
        return !isMade || runs.has(runId);
      })
      .map(({ id }) => id),
  );
}

/** Who works on the runs of the linked work trees of a repository, by the runs' ids. */
export function runnersIn(commonDir: string): ReadonlyMap<string, Holder> {
  const linked = join(commonDir, "worktrees");
  const holders = namesIn(linked).map((name) =>
    lockHolder({ stateDir: stateFolder(join(linked, name)) }),
  );
  return new Map(
    holders.flatMap((holder) => (holder?.runId === undefined ? [] : [[holder.runId, holder]])),
  );
}
