import { openMergeFolder } from "@quasar/git/landing";
import { openSharedControls } from "@quasar/runs/internal";
import { AgentLimits } from "../context/agent-limits.ts";
import type { Engine, EngineLimits } from "../context/context.ts";
import { portsOf } from "../context/ports.ts";
import { specReader } from "../state/copy.ts";
import { budgetOfRun as budgetLeft } from "./fund.ts";
import { LimitFiles } from "../state/limit-files.ts";

/** What an engine makes itself of {@link EngineParts}. */
type Made =
  | ("spec" | "limits" | "mergeFolder" | "portsOf" | "agentLimits" | "controls")
  | ("bases" | "keptTrees" | "inLane" | "startedAt" | "budgetOfRun");

/** What an engine is made of. */
export interface EngineParts extends Omit<Engine, Made> {
  readonly limitsNow: () => EngineLimits;
  /** @default what its ledgers here leave of what is set apart for its phase */
  readonly budgetOfRun?: Engine["budgetOfRun"] | undefined;
  /** The user's folder for state: `$XDG_STATE_HOME/quasar`. */
  readonly stateFolder: string;
  /** Take git's settings and hooks as they are now. @default false */
  readonly acceptSettings?: boolean | undefined;
}

/** An engine that works by the nebula's own copy, as the state names it. */
export async function makeEngine({
  limitsNow,
  stateFolder,
  acceptSettings,
  budgetOfRun = (phase) => budgetLeft({ home: parts.home }, phase),
  ...parts
}: EngineParts): Promise<Engine> {
  const { repository, home, store, now, withoutOwnHook } = parts;
  const readNebula = specReader(home, () => store.current.revision);
  return {
    ...parts,
    budgetOfRun,
    startedAt: now(),
    get spec() {
      return readNebula();
    },
    get limits() {
      return limitsNow();
    },
    mergeFolder: await openMergeFolder(repository),
    portsOf: (tree) => portsOf(stateFolder, tree),
    // What agents of other machines have met says nothing of those of this one.
    agentLimits: new AgentLimits(
      parts.fleet === undefined ? new LimitFiles(stateFolder) : undefined,
    ),
    bases: new Map(),
    keptTrees: new Map(),
    inLane: new Set(),
    controls: await openSharedControls(repository, {
      file: home.controls,
      withoutOwn: withoutOwnHook,
      accept: acceptSettings,
    }),
  };
}
