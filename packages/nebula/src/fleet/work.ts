import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { endRunProcesses } from "@quasar/agents/turns";
import { messageOf } from "@quasar/runs/internal";
import type { ApplyOptions } from "../engine/apply.ts";
import { NebulaError } from "../errors.ts";
import type { Told } from "../events.ts";
import {
  LANE,
  type Lease,
  type NebulaEntry,
  type NebulaPort,
  type NebulaStatus,
  PortError,
  type Release,
  type Worker,
} from "../port/index.ts";
import { conduct, type ConductOptions } from "./conduct.ts";
import { deadlineIn } from "./deadline.ts";
import { FailedRuns } from "./failed-runs.ts";
import { type HeldLease, holdLease } from "./held-lease.ts";
import { dropLease, keepLease, keptLeases, workLease, type WorkLease } from "./kept-leases.ts";
import { outcomeJson } from "./outcome.ts";
import { perform } from "./perform.ts";
import { fleetPlace } from "./place.ts";
import { KeyedQueue } from "./queue.ts";
import { isUnreachable } from "./reach.ts";
import { removeTrees } from "./remove-trees.ts";
import { stateOf } from "./state-of.ts";

type OfApply = "optionsOf" | "commandEnv" | "env" | "stateFolder" | "keys" | "withoutOwnHook";

export interface WorkerOptions extends Pick<ApplyOptions, OfApply> {
  readonly port: NebulaPort;
  /** For people: where it runs. */
  readonly machine: string;
  /** How many phases are worked on at once, from 1. */
  readonly most: number;
  /** The depots whose nebulae are worked on; of all others nothing is fetched or run. */
  readonly depots: readonly string[];
  readonly ttlMs: number;
  /** How long a turn continues without contact to the server, in milliseconds. */
  readonly graceMs: number;
  readonly limitsOf: ConductOptions["limitsOf"];
  readonly tell: (event: WorkerEvent) => void;
  /** Aborted: what is under way is saved, and given back. */
  readonly signal: AbortSignal;
}

/** What a worker reports. */
export type WorkerEvent =
  | {
      readonly type: "takes" | "leaves";
      readonly nebula: string;
      readonly work: string;
    }
  | { readonly type: "of"; readonly nebula: string; readonly event: Told }
  | { readonly type: "warning"; readonly nebula: string; readonly message: string };

/**
 * How often is asked for work, in milliseconds at most; often enough within a lease: where nobody is heard for a third of it,
 * the server takes it that nobody could be, and has each last its whole time again.
 */
const ASK_MS = 1000;

/** How long a lane is left alone whose conductor has failed here, in milliseconds. */
const FAILED_MS = 10_000;

/** The same where it had nothing to do: somebody may have put the branch right at the depot. */
const REST_MS = 60_000;

/** How often the work trees of phases that have landed are removed, in milliseconds. */
const TIDY_MS = 20_000;

/** What does not get better by itself. */
const NEVER: ReadonlySet<string> = new Set(["ERR_DENIED", "ERR_PROTOCOL"]);

/**
 * Works on the nebulae of a fleet until the signal: takes phases, and the lane where nobody has it.
 *
 * @throws {PortError} `ERR_DENIED`, `ERR_PROTOCOL`
 */
export async function workOnFleet(options: WorkerOptions): Promise<void> {
  await new FleetWorker(options).run();
}

/** How long a lane is left alone, by `performance.now()`, unless something else than this is seen of its nebula. */
interface Rest {
  readonly untilMs: number;
  readonly while: string;
}

class FleetWorker {
  readonly #options: WorkerOptions;
  readonly #worker: Worker;
  /** What is under way, by nebula and work. */
  readonly #busy = new Map<string, Promise<void>>();
  /** Changes of refs in a repository, by the nebula that it is of. */
  readonly #alone = new KeyedQueue();
  /** By nebula: when its work trees were checked last. */
  readonly #tidied = new Map<string, number>();
  /** By nebula: how long its lane is left alone. */
  readonly #rest = new Map<string, Rest>();
  readonly #failedRuns = new FailedRuns();

  constructor(options: WorkerOptions) {
    this.#options = options;
    const { machine } = options;
    const id = `${machine.replaceAll(/[^\w.-]/gu, "-").slice(0, 100)}.${randomBytes(4).toString("hex")}`;
    this.#worker = { id, machine, labels: [], agents: [] };
  }

  async run(): Promise<void> {
    const { port, signal, tell, ttlMs } = this.#options;
    const askMs = Math.min(ASK_MS, ttlMs / 6);
    let problem = "";
    while (!signal.aborted) {
      try {
        for (const entry of await port.list()) await this.#look(entry);
        problem = "";
      } catch (error) {
        if (!(error instanceof PortError) || NEVER.has(error.code)) throw error;
        if (error.message !== problem)
          tell({ type: "warning", nebula: "", message: error.message });
        problem = error.message;
      }
      await sleep(askMs, undefined, { signal }).catch(() => {});
    }
    await Promise.all(this.#busy.values());
  }

  async #look({ id, depot, isUnfinished }: NebulaEntry): Promise<void> {
    const { depots, stateFolder } = this.#options;
    if (!depots.includes(depot)) return;
    this.#tidyNowAndThen(id, depot);
    for (const kept of keptLeases(fleetPlace(stateFolder, id).leases)) this.#again(kept, depot);
    if (!isUnfinished) return;
    await this.#takeLane(id, depot);
    await this.#takeWork(id, depot);
  }

  #tidyNowAndThen(nebula: string, depot: string): void {
    const { signal, tell } = this.#options;
    const last = this.#tidied.get(nebula) ?? Number.NEGATIVE_INFINITY;
    if (performance.now() - last < TIDY_MS) return;
    this.#tidied.set(nebula, performance.now());
    this.#tidy(nebula, depot).catch((error: unknown) => {
      if (error instanceof PortError || signal.aborted) return;
      tell({ type: "warning", nebula, message: messageOf(error) });
    });
  }

  /** Of phases that have landed nothing is left here. */
  async #tidy(nebula: string, depot: string): Promise<void> {
    const { port, signal } = this.#options;
    const { work: root } = this.#placeOf({ nebula });
    if (signal.aborted || !existsSync(root)) return;
    const state = stateOf(await port.status(nebula));
    const onEvent = (event: Told): void => this.#tell(nebula, event);
    const given = { ...this.#options, state, root, depot, signal, onEvent };
    await this.#alone.run(nebula, () => removeTrees(given));
  }

  /** Continues what this machine had when its worker ended. */
  #again(lease: WorkLease, depot: string): void {
    const { port, graceMs } = this.#options;
    const key = keyOf(lease);
    if (this.#busy.has(key)) return;
    const work = async (): Promise<void> => {
      const deadline = deadlineIn(lease.ttlMs);
      const renewed = await port.renew(lease);
      if (renewed.as === "stale") {
        await endRunProcesses(lease.offer.runId, { graceMs: 2000 });
        dropLease(this.#placeOf(lease).leases, lease);
        return;
      }
      const held = holdLease({ port, lease, orders: renewed.orders, deadline, graceMs });
      await this.#perform(held, lease, { depot, isContinued: true });
    };
    this.#run(lease, work);
  }

  async #takeLane(nebula: string, depot: string): Promise<void> {
    const { port, signal } = this.#options;
    const key = keyOf({ nebula, work: LANE });
    if (this.#busy.has(key) || signal.aborted) return;
    const rest = this.#rest.get(nebula);
    if (rest !== undefined && performance.now() < rest.untilMs) {
      if (seenOf(await port.status(nebula)) === rest.while) return;
    }
    const leased = await this.#lease(nebula, LANE);
    if (leased === undefined) return;
    this.#rest.delete(nebula);
    this.#run(leased.lease, () => this.#conduct(leased.held, depot));
  }

  async #takeWork(nebula: string, depot: string): Promise<void> {
    const { most, signal } = this.#options;
    while (this.#phases() < most && !signal.aborted) {
      const leased = await this.#lease(nebula, "any");
      if (leased === undefined) return;
      const { held } = leased;
      const lease = workLease(leased.lease);
      keepLease(this.#placeOf(lease).leases, lease);
      this.#run(lease, () => this.#perform(held, lease, { depot, isContinued: false }));
    }
  }

  #phases(): number {
    return [...this.#busy.keys()].filter((key) => !key.endsWith(` ${LANE}`)).length;
  }

  async #lease(
    nebula: string,
    work: string,
  ): Promise<{ readonly lease: Lease; readonly held: HeldLease } | undefined> {
    const { port, ttlMs, graceMs } = this.#options;
    const deadline = deadlineIn(ttlMs);
    const ask = randomBytes(8).toString("hex");
    const lease = await port.lease({ nebula, work, worker: this.#worker, ask, ttlMs });
    if (lease === undefined) return undefined;
    const orders = { isPaused: false, stop: "" } as const;
    return { lease, held: holdLease({ port, lease, orders, deadline, graceMs }) };
  }

  async #perform(
    held: HeldLease,
    lease: WorkLease,
    { depot, isContinued }: { readonly depot: string; readonly isContinued: boolean },
  ): Promise<void> {
    const { signal } = this.#options;
    const place = this.#placeOf(lease);
    const { nebula } = lease;
    const onEvent = (event: Told): void => this.#tell(nebula, event);
    let how: Release = {};
    try {
      await perform({
        ...this.#options,
        ...{ place, depot, held, lease, isContinued, onEvent, signal },
        alone: (work) => this.#alone.run(nebula, work),
      });
      this.#failedRuns.forget(lease.offer.runId);
    } catch (error) {
      if (!signal.aborted) how = await this.#failed(lease, error);
    }
    await held.release(how);
    dropLease(place.leases, lease);
  }

  /** A run could not be carried out. @returns How it is given back. */
  async #failed(lease: WorkLease, error: unknown): Promise<Release> {
    const { port, tell } = this.#options;
    const { runId } = lease.offer;
    const reason = messageOf(error);
    tell({ type: "warning", nebula: lease.nebula, message: reason });
    if (isOfLaterVersion(error)) return { isUnfit: true };
    const waitMs = this.#failedRuns.failed(runId);
    if (waitMs !== undefined) return { waitMs };
    const value = outcomeJson({ as: "failed", reason });
    try {
      await port.record(lease, { as: "result", key: "outcome", value });
      this.#failedRuns.forget(runId);
      return {};
    } catch (unrecorded) {
      tell({ type: "warning", nebula: lease.nebula, message: messageOf(unrecorded) });
      return { waitMs: FAILED_MS };
    }
  }

  #tell(nebula: string, event: Told): void {
    this.#options.tell({ type: "of", nebula, event });
  }

  async #conduct(held: HeldLease, depot: string): Promise<void> {
    const { signal, tell, stateFolder } = this.#options;
    const { nebula } = held.lease;
    const onEvent = (event: Told): void => this.#tell(nebula, event);
    let restMs = REST_MS;
    try {
      const place = fleetPlace(stateFolder, nebula);
      await conduct({ ...this.#options, place, depot, held, onEvent, signal });
    } catch (error) {
      if (!signal.aborted) tell({ type: "warning", nebula, message: messageOf(error) });
      // One of another version may get on with it.
      restMs = isOfLaterVersion(error) ? REST_MS : FAILED_MS;
    }
    await held.release();
    this.#rest.set(nebula, await this.#restOf(nebula, restMs));
  }

  async #restOf(nebula: string, ms: number): Promise<Rest> {
    const untilMs = performance.now() + ms;
    try {
      return { untilMs, while: seenOf(await this.#options.port.status(nebula)) };
    } catch (error) {
      // What cannot be heard for a moment says nothing of the nebula.
      return { untilMs: isUnreachable(error) ? 0 : untilMs, while: UNREADABLE };
    }
  }

  #run({ nebula, work }: Pick<Lease, "nebula" | "work">, body: () => Promise<void>): void {
    const { tell } = this.#options;
    const key = keyOf({ nebula, work });
    tell({ type: "takes", nebula, work });
    const done = body()
      .catch((error: unknown) => tell({ type: "warning", nebula, message: messageOf(error) }))
      .finally(() => {
        this.#busy.delete(key);
        tell({ type: "leaves", nebula, work });
      });
    this.#busy.set(key, done);
  }

  #placeOf({ nebula }: Pick<Lease, "nebula">): ReturnType<typeof fleetPlace> {
    return fleetPlace(this.#options.stateFolder, nebula);
  }
}

function keyOf({ nebula, work }: Pick<Lease, "nebula" | "work">): string {
  return `${nebula} ${work}`;
}

/** In place of what is seen of a nebula whose state this worker cannot read. */
const UNREADABLE = "";

/** What of a nebula has to be another before a conductor that has ended has something to do again. */
function seenOf(status: NebulaStatus): string {
  try {
    const { phases, planVerdict, revision } = stateOf(status);
    return JSON.stringify([
      ...[phases, planVerdict, revision],
      ...[status.inbox.map(({ key }) => key), status.orders],
    ]);
  } catch {
    return UNREADABLE;
  }
}

function isOfLaterVersion(error: unknown): boolean {
  return error instanceof NebulaError && error.code === "ERR_INCOMPATIBLE_VERSION";
}
