import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
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
  PortError,
  type Release,
  type Worker,
} from "../port/index.ts";
import type { NebulaState } from "../state/state.ts";
import { conduct, type ConductOptions } from "./conduct.ts";
import type { Seen } from "./conductor.ts";
import { deadlineIn } from "./deadline.ts";
import { DepotProbe } from "./depot-probe.ts";
import { FailedRuns } from "./failed-runs.ts";
import { type HeldLease, holdLease } from "./held-lease.ts";
import { dropLease, keepLease, keptLeases, workLease, type WorkLease } from "./kept-leases.ts";
import { LaneRests } from "./lane-rests.ts";
import { outcomeJson } from "./outcome.ts";
import { perform } from "./perform.ts";
import { fleetPlace, fleetTrees } from "./place.ts";
import { KeyedQueue } from "./queue.ts";
import { isUnreachable, SERVER } from "./reach.ts";
import { type ReachEvent, ReachLog } from "./reach-log.ts";
import { removeTrees } from "./remove-trees.ts";
import { stateOf } from "./state-of.ts";
import { TreeTidier } from "./tree-tidier.ts";

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
  /** The same as `optionsOf` for who schedules phases: their agents need not be here. @default `optionsOf` */
  readonly plansBy?: ApplyOptions["optionsOf"] | undefined;
  readonly tell: (event: WorkerEvent) => void;
  /** Aborted: what is under way is saved, and given back. */
  readonly signal: AbortSignal;
}

/** What a worker reports. */
export type WorkerEvent =
  | (OfNebula & {
      readonly type: "takes" | "leaves";
      readonly work: string;
      /** Id of the phase; `""`: it is the lane. */
      readonly phase: string;
    })
  | (OfNebula & { readonly type: "of"; readonly event: Told })
  | (OfNebula & { readonly type: "warning"; readonly message: string })
  | ReachEvent;

interface UnderWay {
  readonly held: HeldLease;
  readonly done: Promise<void>;
}

interface OfNebula {
  /** Its id; `""`: none is meant. */
  readonly nebula: string;
  readonly name: string;
}

/**
 * How often is asked for work, in milliseconds at most; often enough within a lease: where nobody is heard for half of it,
 * the server takes it that nobody could be, and has each last its whole time again.
 */
const ASK_MS = 1000;

/** How long a lane is left alone whose conductor has failed here, in milliseconds. */
const FAILED_MS = 10_000;

/** The same where it had nothing to do: somebody may have put the branch right at the depot. */
const REST_MS = 60_000;

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

class FleetWorker {
  readonly #options: WorkerOptions;
  readonly #worker: Worker;
  /** Aborted once it does not ask for work any more, for whatever reason: what is under way ends then. */
  readonly #end = new AbortController();
  /** What is under way, by nebula and work. */
  readonly #busy = new Map<string, UnderWay>();
  /** Changes of refs in a repository, by the nebula that it is of. */
  readonly #alone = new KeyedQueue();
  /** By the id of a nebula. */
  readonly #names = new Map<string, string>();
  readonly #reach: ReachLog;
  readonly #probe: DepotProbe;
  readonly #tidier = new TreeTidier((nebula, depot) => this.#tidy(nebula, depot));
  readonly #rests: LaneRests;
  readonly #failedRuns = new FailedRuns();

  constructor(options: WorkerOptions) {
    this.#options = { ...options, signal: AbortSignal.any([options.signal, this.#end.signal]) };
    const { machine, tell } = options;
    this.#reach = new ReachLog(tell);
    this.#probe = new DepotProbe(this.#reach, this.#options.signal);
    this.#rests = new LaneRests(options.port);
    const id = `${machine.replaceAll(/[^\w.-]/gu, "-").slice(0, 100)}.${randomBytes(4).toString("hex")}`;
    this.#worker = { id, machine, labels: [], agents: [] };
  }

  async run(): Promise<void> {
    const { port, signal, ttlMs } = this.#options;
    const askMs = Math.min(ASK_MS, ttlMs / 6);
    this.#probe.askFirst(this.#options.depots);
    let [problem, isKnown] = ["", false];
    try {
      while (!signal.aborted) {
        try {
          for (const entry of await port.list()) await this.#look(entry);
          this.#reach.back(SERVER);
          [problem, isKnown] = ["", true];
        } catch (error) {
          if (!(error instanceof PortError)) throw error;
          // What lies between may answer in the name of a server that was the right one.
          if (NEVER.has(error.code) && !isKnown) throw error;
          if (isUnreachable(error)) this.#reach.away(SERVER, error.message);
          else if (error.message !== problem) this.#warn("", error.message);
          problem = error.message;
        }
        await sleep(askMs, undefined, { signal }).catch(() => {});
      }
    } finally {
      this.#end.abort();
      await Promise.all([...this.#busy.values()].map(({ done }) => done));
    }
  }

  async #look({ id, name, depot, isUnfinished }: NebulaEntry): Promise<void> {
    const { depots, stateFolder, signal } = this.#options;
    if (!depots.includes(depot)) return;
    this.#names.set(id, name);
    if (isUnfinished) this.#tidier.goesOn(id);
    this.#tidier.nowAndThen(id, depot).catch((error: unknown) => {
      if (!(error instanceof PortError) && !signal.aborted) this.#failed(id, depot, error);
    });
    for (const kept of keptLeases(fleetPlace(stateFolder, id).leases)) {
      await this.#again(kept, depot);
    }
    if (!isUnfinished) return;
    // A machine that can reach it is not to find all taken.
    if (this.#reach.isAway(depot)) return this.#probe.ask(depot);
    await this.#takeLane(id, depot);
    await this.#takeWork(id, depot);
  }

  /** Of phases that have landed nothing is left here. */
  async #tidy(nebula: string, depot: string): Promise<NebulaState | undefined> {
    const { port, signal } = this.#options;
    const { work: root } = this.#placeOf({ nebula });
    if (signal.aborted || !existsSync(root)) return undefined;
    const state = stateOf(await port.status(nebula));
    const onEvent = (event: Told): void => this.#tell(nebula, event);
    const given = { ...this.#options, state, root, depot, signal, onEvent };
    await this.#alone.run(nebula, () => removeTrees(given));
    return state;
  }

  /** Continues what this machine had when its worker ended. */
  async #again(lease: WorkLease, depot: string): Promise<void> {
    const { port, graceMs, env, stateFolder } = this.#options;
    if (this.#busy.has(keyOf(lease))) return;
    const deadline = deadlineIn(lease.ttlMs);
    const renewed = await port.renew(lease);
    if (renewed.as === "stale") {
      const { work, leases } = this.#placeOf(lease);
      const trees = fleetTrees(work, lease.nebula, { env, state: stateFolder });
      // Another worker of this machine may have the run by now, in a tree of its own.
      const within = join(trees, lease.work);
      await endRunProcesses(lease.offer.runId, { graceMs: 2000, within });
      dropLease(leases, lease);
      return;
    }
    const held = holdLease({ port, lease, orders: renewed.orders, deadline, graceMs });
    const work = (): Promise<void> => this.#perform(held, lease, { depot, isContinued: true });
    this.#run(held, lease.offer.task.phase, work);
  }

  async #takeLane(nebula: string, depot: string): Promise<void> {
    const key = keyOf({ nebula, work: LANE });
    if (this.#busy.has(key) || this.#options.signal.aborted) return;
    if (await this.#rests.isAtRest(nebula)) return;
    const leased = await this.#lease(nebula, LANE);
    if (leased === undefined) return;
    this.#run(leased, "", () => this.#conduct(leased, depot));
  }

  async #takeWork(nebula: string, depot: string): Promise<void> {
    const { most, signal } = this.#options;
    while (this.#phases() < most && !this.#isUnsure(nebula) && !signal.aborted) {
      const held = await this.#lease(nebula, "any");
      if (held === undefined) return;
      let lease: WorkLease;
      try {
        lease = workLease(held.lease);
        keepLease(this.#placeOf(lease).leases, lease);
      } catch (error) {
        this.#warn(nebula, messageOf(error));
        await held.release({ isUnfit: true });
        return;
      }
      const work = (): Promise<void> => this.#perform(held, lease, { depot, isContinued: false });
      this.#run(held, lease.offer.task.phase, work);
    }
  }

  /** Whether it may be given anew what it has: one that was cut off hears of the server before it is known whose its work is. */
  #isUnsure(nebula: string): boolean {
    return [...this.#busy.values()].some(
      ({ held: { lease, isSure } }) => lease.nebula === nebula && lease.work !== LANE && !isSure,
    );
  }

  #phases(): number {
    return [...this.#busy.keys()].filter((key) => !key.endsWith(` ${LANE}`)).length;
  }

  async #lease(nebula: string, work: string): Promise<HeldLease<Lease> | undefined> {
    const { port, ttlMs, graceMs } = this.#options;
    const deadline = deadlineIn(ttlMs);
    const ask = randomBytes(8).toString("hex");
    const lease = await port.lease({ nebula, work, worker: this.#worker, ask, ttlMs });
    if (lease === undefined) return undefined;
    const orders = { isPaused: false, stop: "" } as const;
    return holdLease({ port, lease, orders, deadline, graceMs });
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
        ...{ place, depot, reach: this.#reach, held, lease, isContinued, onEvent, signal },
        alone: (work) => this.#alone.run(nebula, work),
      });
      this.#failedRuns.forget(lease.offer.runId);
    } catch (error) {
      if (!signal.aborted) how = await this.#runFailed(lease, depot, error);
    }
    await held.release(how);
    dropLease(place.leases, lease);
  }

  /** A run could not be carried out. @returns How it is given back. */
  async #runFailed(lease: WorkLease, depot: string, error: unknown): Promise<Release> {
    const { port, machine } = this.#options;
    const { runId } = lease.offer;
    const reason = messageOf(error);
    this.#failed(lease.nebula, depot, error);
    if (isOfLaterVersion(error) || isNotInstalled(error)) return { isUnfit: true };
    const waitMs = this.#failedRuns.failed(runId);
    if (waitMs !== undefined) return { waitMs };
    const value = outcomeJson({ came: { as: "failed", reason }, machine });
    try {
      await port.record(lease, { as: "result", key: "outcome", value });
      this.#failedRuns.forget(runId);
      return {};
    } catch (unrecorded) {
      this.#failed(lease.nebula, depot, unrecorded);
      return { waitMs: FAILED_MS };
    }
  }

  #tell(nebula: string, event: Told): void {
    this.#options.tell({ type: "of", ...this.#named(nebula), event });
  }

  #warn(nebula: string, message: string): void {
    this.#options.tell({ type: "warning", ...this.#named(nebula), message });
  }

  #named(nebula: string): OfNebula {
    return { nebula, name: this.#names.get(nebula) ?? "" };
  }

  /** Work has ended by an error. */
  #failed(nebula: string, depot: string, error: unknown): void {
    if (!isUnreachable(error)) this.#warn(nebula, messageOf(error));
    else this.#reach.away(error instanceof PortError ? SERVER : depot, messageOf(error));
  }

  async #conduct(held: HeldLease, depot: string): Promise<void> {
    const { signal, stateFolder, optionsOf, plansBy = optionsOf } = this.#options;
    const { nebula } = held.lease;
    const onEvent = (event: Told): void => this.#tell(nebula, event);
    let restMs = REST_MS;
    let heard: Seen | undefined;
    try {
      const place = fleetPlace(stateFolder, nebula);
      const reach = this.#reach;
      heard = await conduct({
        ...{ ...this.#options, optionsOf: plansBy },
        ...{ place, depot, reach, held, onEvent, signal },
      });
    } catch (error) {
      if (!signal.aborted) this.#failed(nebula, depot, error);
      // One of another version may get on with it.
      restMs = isOfLaterVersion(error) ? REST_MS : FAILED_MS;
    }
    await held.release();
    await this.#rests.rest(nebula, restMs, heard);
  }

  /** @param phase - Its id; `""`: it is the lane. */
  #run(held: HeldLease, phase: string, body: () => Promise<void>): void {
    const { tell } = this.#options;
    const { nebula, work } = held.lease;
    const key = keyOf({ nebula, work });
    const what = { ...this.#named(nebula), work, phase };
    tell({ type: "takes", ...what });
    const done = body()
      .catch((error: unknown) => this.#warn(nebula, messageOf(error)))
      .finally(() => {
        this.#busy.delete(key);
        tell({ type: "leaves", ...what });
      });
    this.#busy.set(key, { held, done });
  }

  #placeOf({ nebula }: Pick<Lease, "nebula">): ReturnType<typeof fleetPlace> {
    return fleetPlace(this.#options.stateFolder, nebula);
  }
}

function keyOf({ nebula, work }: Pick<Lease, "nebula" | "work">): string {
  return `${nebula} ${work}`;
}

/** An agent of the phase is not on this machine: others may have it. */
function isNotInstalled(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ERR_NOT_INSTALLED";
}

function isOfLaterVersion(error: unknown): boolean {
  return error instanceof NebulaError && error.code === "ERR_INCOMPATIBLE_VERSION";
}
