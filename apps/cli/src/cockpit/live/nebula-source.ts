import { join } from "node:path";
import { findNebula } from "@quasar/nebula";
import { type NebulaFacts, openNebulaFacts, type PhaseFacts } from "@quasar/nebula/facts";
import { nebulaHome, runsFolder } from "@quasar/nebula/internal";
import type { Workspace } from "@quasar/runs";
import { limitsIn } from "../../quasar/nebula/limits.ts";
import type { LocalSource } from "./source.ts";

export interface NebulaSourceOptions {
  /** Which runs of a phase it has. `newest`: of the newest attempt. */
  readonly runs: "newest" | "all";
}

/** Reads a nebula. */
export function openNebulaSource(
  workspace: Workspace,
  nebulaId: string,
  { runs }: NebulaSourceOptions,
): LocalSource {
  const { repositoryId } = workspace;
  const home = nebulaHome(repositoryId, nebulaId);
  const reader = openNebulaFacts(repositoryId, nebulaId, { limitsOf: limitsIn(workspace) });
  let refs: ReadonlyMap<string, string> = new Map();
  let changing: readonly string[] = [];
  const folderOf = (phase: string): string => runsFolder(home, refs.get(phase) ?? "");

  /** What a phase is called in folders is fixed when it is added. */
  function learnRefs({ phases }: NebulaFacts): void {
    if (phases.every(({ id }) => refs.has(id))) return;
    const state = findNebula(repositoryId, nebulaId);
    refs = new Map(state.phases.map(({ id, ref }) => [id, ref]));
  }

  return {
    async read() {
      const nebula = await reader.look();
      learnRefs(nebula);
      const open = nebula.phases.filter(({ status }) => status !== "done");
      changing = open.flatMap(({ id, attempts }) =>
        attempts.slice(-1).map(({ runId }) => join(folderOf(id), runId)),
      );
      if (runs === "all") return { kind: "nebula", nebula };
      return { kind: "nebula", nebula: { ...nebula, phases: nebula.phases.map(withNewestRun) } };
    },
    folders: () => [home.dir, ...changing],
    workspaceOf: (phase) => ({ ...workspace, runsDir: folderOf(phase) }),
  };
}

/** The run of an attempt that has just begun is not there yet: that of the one before does not stand for it. */
function withNewestRun(phase: PhaseFacts): PhaseFacts {
  const newest = phase.attempts.at(-1)?.runId;
  return { ...phase, runs: phase.runs.filter(({ id }) => id === newest) };
}
