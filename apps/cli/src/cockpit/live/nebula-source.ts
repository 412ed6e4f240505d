import { join } from "node:path";
import { findNebula } from "@quasar/nebula";
import { type NebulaFacts, openNebulaFacts, type PhaseFacts } from "@quasar/nebula/facts";
import { nebulaHome, runsFolder } from "@quasar/nebula/internal";
import type { Workspace } from "@quasar/runs";
import { openFactsIn, type RunFacts, type RunFactsReader } from "@quasar/runs/facts";
import type { Source } from "./source.ts";

/** Reads a nebula, and of each of its phases the newest run. */
export function openNebulaSource(workspace: Workspace, nebulaId: string): Source {
  const { repositoryId, root } = workspace;
  const home = nebulaHome(repositoryId, nebulaId);
  const reader = openNebulaFacts(repositoryId, nebulaId);
  const runs = createPhaseRuns(root);
  let refs: ReadonlyMap<string, string> = new Map();
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
      const phases = await Promise.all(
        nebula.phases.map(async (phase) => ({
          ...phase,
          runs: await runs.read(phase, nebula.pid, folderOf(phase.id)),
        })),
      );
      return { kind: "nebula", nebula: { ...nebula, phases } };
    },
    folders: () => [home.dir, ...runs.openFolders()],
    workspaceOf: (phase) => ({ ...workspace, runsDir: folderOf(phase) }),
  };
}

interface PhaseRun {
  readonly runId: string;
  readonly dir: string;
  readonly reader: RunFactsReader;
  facts: RunFacts | undefined;
  /** The process that works on it. */
  pid: number | undefined;
  /** Whether it has ended, and needs to be read no more. */
  isOver: boolean;
}

/** The newest run of each phase. One that has ended is read once. */
function createPhaseRuns(workTree: string) {
  const known = new Map<string, PhaseRun>();

  function open(phase: string, runId: string, folder: string): PhaseRun {
    const before = known.get(phase);
    if (before?.runId === runId) return before;
    const dir = join(folder, runId);
    const run: PhaseRun = {
      ...{ runId, dir, facts: undefined, pid: undefined, isOver: false },
      reader: openFactsIn(
        { workTree, dir },
        {
          runner: () =>
            run.pid === undefined
              ? undefined
              : { pid: run.pid, host: "", startedAt: undefined, runId },
        },
      ),
    };
    known.set(phase, run);
    return run;
  }

  return {
    async read(
      { id, attempts, status, isWorkedOn }: PhaseFacts,
      enginePid: number | undefined,
      folder: string,
    ): Promise<readonly RunFacts[]> {
      const runId = attempts.at(-1)?.runId;
      if (runId === undefined) return [];
      const run = open(id, runId, folder);
      if (!run.isOver) {
        run.pid = isWorkedOn && status === "running" ? enginePid : undefined;
        run.facts = await run.reader.look();
        run.isOver = status === "done";
      }
      return run.facts === undefined ? [] : [run.facts];
    },
    openFolders: () => [...known.values()].filter(({ isOver }) => !isOver).map(({ dir }) => dir),
  };
}
