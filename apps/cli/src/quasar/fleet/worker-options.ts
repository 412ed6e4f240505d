import { hostname } from "node:os";
import { join } from "node:path";
import type { WorkerOptions } from "@quasar/nebula/fleet";
import { createKeyManager } from "@quasar/receipts";
import { openUser } from "@quasar/runs/internal";
import { createAgents, invokersOf } from "../../shared/agents.ts";
import { environmentOfChecks } from "../../shared/checks/environment.ts";
import { resolve } from "../../shared/config/layers.ts";
import { CliError } from "../../shared/errors.ts";
import { userLayers } from "../config/load.ts";
import { limitsOf, withTypedPhase } from "../nebula/limits.ts";
import { phaseOptions, planner } from "../nebula/phase-options.ts";
import { withoutOwnHook } from "../run-options.ts";

type Settled =
  | ("optionsOf" | "commandEnv" | "env" | "stateFolder" | "keys" | "withoutOwnHook")
  | ("machine" | "limitsOf" | "plansBy");

/**
 * Makes sure that the agents are here that this user's settings name: phases would fail on this machine that others could
 * carry out.
 *
 * @throws {CliError} `ERR_NOT_INSTALLED`
 */
export function requireOwnAgents(): void {
  const settings = resolve(userLayers(openUser().folders, process.env));
  try {
    createAgents(settings, { start: WORKER });
  } catch (error) {
    if (!(error instanceof CliError) || error.code !== "ERR_NOT_INSTALLED") throw error;
    throw new CliError(error.code, error.message, {
      next: [
        ...error.next.filter((step) => !step.startsWith(WORKER)),
        "export QUASAR_CODER=codex QUASAR_REVIEWER=codex   # or another agent that is here; or coder and reviewer in your configuration",
      ],
    });
  }
}

const WORKER = "quasar worker";

/** What a worker works by: the settings of the user whose worker it is, and no repository's. */
export function workerSettings(name?: string): Pick<WorkerOptions, Settled> {
  const { folders } = openUser();
  const settings = resolve(userLayers(folders, process.env));
  const planOf = planner(settings);
  return {
    machine: name ?? hostname(),
    optionsOf: phaseOptions(settings, planOf),
    plansBy: phaseOptions(settings, planOf, (of) => invokersOf(of)),
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
