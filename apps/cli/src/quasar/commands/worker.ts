import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { acquireLock, DurableError } from "@quasar/durable";
import { type WorkerEvent, workOnFleet } from "@quasar/nebula/fleet";
import { PortError } from "@quasar/nebula/port";
import { count, jsonLine } from "@quasar/runs/text";
import { CliError } from "../../shared/errors.ts";
import { EXIT, type ExitCode } from "../../shared/exit-codes.ts";
import { whole } from "../../shared/config/kinds.ts";
import { listenForInterrupts } from "../../shared/interrupts.ts";
import { JSON_VERSION } from "../../shared/output/json.ts";
import { viewOf, write } from "../../shared/output/reporter.ts";
import { labelled } from "../../shared/output/text.ts";
import { numberOf } from "../../shared/typed-number.ts";
import { keepRunning } from "../fleet/keeper.ts";
import { openFleet } from "../fleet/open.ts";
import { type FleetSettings, fleetSettings } from "../fleet/settings.ts";
import { createWorkerLog, workerFacts } from "../fleet/worker-lines.ts";
import { requireOwnAgents, workerSettings } from "../fleet/worker-options.ts";
import type { WorkerLine } from "../schemas/fleet.ts";

export interface WorkerCommandOptions {
  readonly fleet?: string | undefined;
  readonly depot?: string | readonly string[] | undefined;
  readonly max?: string | undefined;
  readonly ttl?: string | undefined;
  readonly name?: string | undefined;
  readonly json?: true | undefined;
}

/** In the environment of the process that works: the one that was typed keeps it running. */
const KEPT = "QUASAR_WORKER_KEPT";

/** How long a turn continues without contact to the server, in milliseconds. */
const GRACE_MS = 10 * 60_000;

const [MOST, TTL] = [whole(1, 64), whole(3, 600)];

/** `quasar worker`: works on the nebulae of a fleet until it is stopped. */
export async function workerCommand(options: WorkerCommandOptions): Promise<ExitCode> {
  const settings = fleetSettings({ url: options.fleet });
  const depots = [options.depot ?? settings.depots].flat();
  const most = numberOf("--max", options.max, MOST) ?? 1;
  const ttlMs = (numberOf("--ttl", options.ttl, TTL) ?? 30) * 1000;
  if (depots.length === 0) throw noDepot();
  // What is wrong with the key is said before anything is started.
  openFleet(settings).close();
  requireOwnAgents();
  const tell = (message: string): void => write(process.stderr, [message]);
  const interrupts = listenForInterrupts((name) => {
    if (process.env[KEPT] === undefined) {
      tell(`${name}: saving and giving back what is under way; press Ctrl-C again to exit now.`);
    }
  });
  try {
    if (process.env[KEPT] === undefined) {
      const args = process.argv.slice(1);
      const env = { ...process.env, [KEPT]: "1" };
      const code = await keepRunning({ args, env, signal: interrupts.signal, tell });
      return interrupts.exitCode() ?? (code as ExitCode);
    }
    await work(settings, { ...options, depots, most, ttlMs, signal: interrupts.signal });
    return interrupts.exitCode() ?? EXIT.ok;
  } finally {
    interrupts.stop();
  }
}

interface Work {
  readonly depots: readonly string[];
  readonly most: number;
  readonly ttlMs: number;
  readonly name?: string | undefined;
  readonly json?: true | undefined;
  readonly signal: AbortSignal;
}

async function work(
  settings: FleetSettings,
  { json, name, signal, ...given }: Work,
): Promise<void> {
  const { depots, most, ttlMs } = given;
  const port = openFleet(settings);
  const known = workerSettings(name);
  const lock = lockMachine(known.stateFolder);
  const view = viewOf(process.stdout);
  const say = json === true ? sayJson : createWorkerLog(view, settings.url ?? "");
  if (json !== true) {
    const words = `${count(most, "phase")} at once, of ${settings.url ?? ""}, as ${known.machine}`;
    write(process.stdout, labelled(view, "worker", words));
  }
  try {
    await workOnFleet({
      ...known,
      ...{ port, depots, most, ttlMs, signal, graceMs: GRACE_MS },
      tell: say,
    });
  } catch (error) {
    // What answers is no fleet's server: to start the worker again does not help.
    if (!(error instanceof PortError) || error.code !== "ERR_PROTOCOL") throw error;
    const next = [`quasar fleet doctor --fleet ${settings.url ?? "URL"}`];
    throw new CliError("ERR_DENIED", error.message, { next, cause: error });
  } finally {
    port.close();
    lock.release();
  }
}

function sayJson(event: WorkerEvent): void {
  const time = new Date().toISOString();
  const line = { v: JSON_VERSION, time, type: "worker", ...workerFacts(event) } as const;
  process.stdout.write(jsonLine(line satisfies WorkerLine));
}

/** Two workers of one user and machine would take each other's work for their own. */
function lockMachine(stateFolder: string): { release(): void } {
  const folder = join(stateFolder, "fleet");
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  try {
    return acquireLock(join(folder, "worker.lock"));
  } catch (error) {
    if (!(error instanceof DurableError) || error.code !== "ERR_LOCKED") throw error;
    throw new CliError("ERR_LOCKED", "another worker of yours works on this machine", {
      next: ["quasar worker --max 4   # one of them works on several phases at once"],
    });
  }
}

function noDepot(): CliError {
  return new CliError(
    "ERR_USAGE",
    "no depot is named: a worker runs only what its own user allows",
    {
      next: [
        "quasar worker --depot ssh://HOST/srv/depot.git",
        "quasar depot init /srv/depot.git   # makes one",
      ],
    },
  );
}
