import { hostname } from "node:os";
import { join } from "node:path";
import type { WorkerOptions } from "@quasar/nebula/fleet";
import { createKeyManager } from "@quasar/receipts";
import { openUser } from "@quasar/runs/internal";
import { environmentOfChecks } from "../../shared/checks/environment.ts";
import { resolve } from "../../shared/config/layers.ts";
import { userLayers } from "../config/load.ts";
import { limitsOf, withTypedPhase } from "../nebula/limits.ts";
import { phaseOptions, planner } from "../nebula/phase-options.ts";
import { withoutOwnHook } from "../run-options.ts";

type Settled =
  | ("optionsOf" | "commandEnv" | "env" | "stateFolder" | "keys" | "withoutOwnHook")
  | ("machine" | "limitsOf");

/** What a worker works by: the settings of the user whose worker it is, and no repository's. */
export function workerSettings(): Pick<WorkerOptions, Settled> {
  const { folders } = openUser();
  const settings = resolve(userLayers(folders, process.env));
  return {
    machine: hostname(),
    optionsOf: phaseOptions(settings, planner(settings)),
    commandEnv: environmentOfChecks(settings),
    env: process.env,
    stateFolder: folders.state,
    keys: createKeyManager({ dir: join(folders.state, "keys") }),
    withoutOwnHook,
    limitsOf: (spec, state) => ({
      ...limitsOf(spec, withTypedPhase(settings, state)),
      maxWorkers: state.typedMaxWorkers ?? spec.execution.maxWorkers,
    }),
  };
}
