import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { spendingIn } from "@quasar/runs/internal";
import { onceAborted } from "./once-aborted.ts";
import type { Engine } from "../context/context.ts";
import type { OverFleet } from "../context/over-fleet.ts";
import type { Came } from "../context/came.ts";
import { NebulaError } from "../errors.ts";
import { continueNebula, pauseNebula } from "../people/pause.ts";
import { stopEngine } from "../people/stop.ts";
import { itemsOnDisk, leaveReply } from "../port/files/disk-inbox.ts";
import {
  type InboxItem,
  type Json,
  type NebulaPort,
  type NebulaStatus,
  type Offer,
  type Orders,
  outcomeId,
  PortError,
} from "../port/index.ts";
import { gateId } from "../port/promises.ts";
import { type NebulaHome, runsFolder } from "../state/home.ts";
import { note } from "../state/report.ts";
import type { PhaseState } from "../state/state.ts";
import type { Phase } from "../state/schedule.ts";
import { readItem } from "./inbox-items.ts";
import { depotNames } from "./depot-names.ts";
import type { HeldLease } from "./held-lease.ts";
import type { LaneRef } from "./lane-ref.ts";
import { readOutcome } from "./outcome.ts";
import { askedOf, takeQuestion } from "./questions.ts";
import { isUnreachable, pushWhenReached, type Reach, whenReached } from "./reach.ts";
import type { Recorder } from "./recorder.ts";
import { takeLane } from "./take-lane.ts";
import type { ForServer } from "./take-over.ts";
import { takeRun } from "./take-run.ts";

export interface ConductorOptions {
  readonly port: NebulaPort;
  readonly depot: string;
  readonly reach: Reach;
  readonly held: HeldLease;
  readonly recorder: Recorder;
  readonly laneRef: LaneRef;
  readonly forServer: ForServer;
}

/** What people have said of a nebula. */
export type Seen = Pick<NebulaStatus, "inbox" | "orders">;

/** How often it is looked whether a run that nobody works on any more is to be waited for, in milliseconds. */
const LOOK_MS = 1000;

/** What an engine has done by workers, and by the depot: it is the nebula's conductor as long as it holds the lane. */
export class Conductor implements OverFleet {
  readonly #options: ConductorOptions;
  /** Items of the inbox that were left here for the engine. */
  readonly #left = new Map<string, InboxItem>();
  /** Keys of those that the engine has taken since, until the server has them no more. */
  readonly #taken = new Set<string>();
  /** Keys of those that are no answers. */
  readonly #refused = new Set<string>();
  readonly #leaving = new AbortController();
  #orders: Orders = { isPaused: false, stop: "" };
  #seen: Seen;
  /** Offers that somebody has taken. */
  #atWork = 0;

  /** @param seen - Of the nebula as it was when this one began. */
  constructor(options: ConductorOptions, seen: Seen) {
    this.#options = options;
    this.#seen = seen;
  }

  /** What people have said, as far as it has heard. */
  get seen(): Seen {
    return this.#seen;
  }

  /** How many phases are worked on at once where nobody says it: one is offered, beside those that workers have taken. */
  get maxWorkers(): number {
    return this.#atWork + 1;
  }

  saved(text: Uint8Array): void {
    const { recorder, forServer } = this.#options;
    recorder.save(forServer(text));
  }

  /** The same of what was saved while no engine worked. */
  savedByHand({ state }: Pick<NebulaHome, "state">): void {
    this.saved(readFileSync(state));
  }

  async attempt(engine: Engine, phase: Phase): Promise<Came> {
    const { port, recorder, held } = this.#options;
    const { ref, runId } = phase.state;
    const nebula = engine.store.current.id;
    await this.#pushBase(engine, phase.state);
    const offer = await offerOf(engine, phase);
    await recorder.offer(offer);
    const over = new AbortController();
    const signal = AbortSignal.any([engine.signal, held.lost, over.signal]);
    try {
      const value = await Promise.race([
        port.wait(nebula, outcomeId(ref, runId), signal),
        this.#tend(engine, { phase, offer }, signal),
        onceAborted(AbortSignal.any([engine.signal, this.#leaving.signal])),
      ]);
      // It stays offered: its worker continues, and the next conductor takes what comes of it.
      if (value === undefined) return { as: "interrupted" };
      const whyNot = await this.#fetchRun(engine, phase.state);
      recorder.answered(ref);
      if (whyNot !== "") return { as: "failed", reason: `its run cannot be fetched: ${whyNot}` };
      const { came, machine } = readOutcome(value);
      await keepRun(engine, phase.state, machine);
      if (came.as !== "limited") haveSucceeded(engine, phase);
      return came;
    } finally {
      over.abort();
    }
  }

  leave(): void {
    this.#leaving.abort();
  }

  /** Offers with a run what people have answered since. Resolves once the nebula stops, and nobody holds the work. */
  async #tend(
    engine: Engine,
    { phase, offer }: { readonly phase: Phase; readonly offer: Offer & { readonly task: Task } },
    signal: AbortSignal,
  ): Promise<undefined> {
    const { port, recorder } = this.#options;
    const nebula = engine.store.current.id;
    for (let task: Task = offer.task; !signal.aborted; ) {
      await sleep(LOOK_MS, undefined, { signal }).catch(() => {});
      if (signal.aborted) break;
      const asked = askedJson(engine, phase);
      if (!isDeepStrictEqual(asked, task.asked)) {
        task = { ...task, asked };
        await recorder.offer({ ...offer, task });
      }
      if (!engine.steering.isStopping) continue;
      const status = await port.status(nebula).catch(unlessUnreachable);
      if (status !== undefined && !status.holders.some(({ work }) => work === offer.work)) break;
    }
    return undefined;
  }

  async #pushBase(engine: Engine, { ref, base, conflictCommit }: PhaseState): Promise<void> {
    const { repository, signal, store } = engine;
    const names = depotNames(store.current.id);
    const updates = [
      { ref: names.base(ref), from: undefined, to: base },
      ...(conflictCommit === ""
        ? []
        : [{ ref: names.conflict(ref), from: undefined, to: conflictCommit }]),
    ];
    const { depot: url, reach } = this.#options;
    const pushed = await pushWhenReached(repository, { url, updates, signal, reach });
    if (pushed.kind === "refused") throw new NebulaError("ERR_BRANCH", pushed.message);
  }

  /** @returns Why no machine can have it here; `""`: it is here. */
  async #fetchRun(engine: Engine, { ref, runId }: PhaseState): Promise<string> {
    const { port, depot, reach } = this.#options;
    const { repository, signal, store } = engine;
    const nebula = store.current.id;
    const fetched = async (): Promise<string> => {
      const { results } = await port.status(nebula);
      const result = results.find(
        (each) => each.key === "outcome" && each.work === ref && each.runId === runId,
      );
      const epochs = result === undefined ? [] : [result.epoch];
      return takeRun(repository, { depot, nebula, work: ref, runId, epochs, signal });
    };
    return whenReached(fetched, { signal, reach, depot });
  }

  async moveBranch(
    engine: Engine,
    { id, onto, candidate }: Pick<PhaseState, "id" | "onto" | "candidate">,
  ): Promise<boolean> {
    const { recorder, laneRef, depot, reach } = this.#options;
    const { store, repository, signal } = engine;
    const state = store.current;
    if (!(await recorder.close(gateId(store.phase(id))))) {
      await this.collect(engine);
      return false;
    }
    await this.#requireLane(engine);
    const landed = await laneRef.land({ branch: state.branch, onto, candidate });
    if (landed === "landed") return true;
    await this.#requireLane(engine);
    const take = () => takeLane(repository, laneRef, { depot, state, signal });
    await whenReached(take, { signal, reach, depot });
    return false;
  }

  /** @throws {PortError} `ERR_CONFLICT` where another machine has it */
  async #requireLane(engine: Engine): Promise<void> {
    const { port, held, reach } = this.#options;
    const fence = () => port.fence(held.lease);
    if ((await whenReached(fence, { signal: engine.signal, reach })) === "ok") return;
    throw new PortError("ERR_CONFLICT", "another machine has taken the lane over");
  }

  async collect(engine: Engine): Promise<void> {
    const { port, recorder } = this.#options;
    const { home, store, repository } = engine;
    const status = await port.status(store.current.id).catch(unlessUnreachable);
    if (status === undefined) return;
    this.#seen = status;
    this.#order(engine, status);
    this.#atWork = takenOf(status);
    const waiting = new Set(itemsOnDisk(home, store.current).map((item) => item.id));
    const known = new Set(status.inbox.map(({ key }) => key));
    for (const key of this.#taken) if (!known.has(key)) this.#taken.delete(key);
    const taken = [...this.#left.values()].filter(({ id }) => !waiting.has(id));
    recorder.took(taken.map(({ key }) => key));
    for (const { key } of taken) {
      this.#left.delete(key);
      this.#taken.add(key);
    }
    const answered = { commonDir: repository.commonDir, home, state: store.current };
    for (const item of status.inbox) {
      const { key } = item;
      if (this.#left.has(key) || this.#taken.has(key) || this.#refused.has(key)) continue;
      if (item.id.startsWith("plan/")) continue;
      if (item.id.startsWith("note/")) {
        takeQuestion(engine, item.value);
        recorder.took([item.key]);
        continue;
      }
      const read = readItem(item);
      if ("refused" in read) {
        this.#refused.add(item.key);
        recorder.took([item.key]);
        note(engine, { type: "warning", message: read.refused });
        continue;
      }
      leaveReply({ ...answered, now: new Date() }, read.id, read.said);
      this.#left.set(item.key, item);
    }
  }

  /** Has the engine here follow what people ask of all who work on the nebula. */
  #order(engine: Engine, { orders }: NebulaStatus): void {
    const { repository, store } = engine;
    const { commonDir } = repository;
    const { current: state } = store;
    const before = this.#orders;
    this.#orders = orders;
    if (orders.isPaused && !before.isPaused) pauseNebula(commonDir, state, new Date());
    if (!orders.isPaused && before.isPaused) continueNebula(commonDir, state);
    if (orders.stop === "" || orders.stop === before.stop) return;
    stopEngine(commonDir, state, { isNow: orders.stop === "now" });
  }
}

/** The agents of a phase have worked, so that no limit of theirs that was met before is known to stand. */
function haveSucceeded(engine: Engine, { spec }: Phase): void {
  const { coder, reviewer } = engine.optionsOf(spec, engine.spec);
  const now = engine.now().getTime();
  for (const { name } of [coder, reviewer]) engine.agentLimits.succeeded(name, now);
}

/** Who carried out the run of a phase's attempt, and what it has cost: who asks the server has no ledger. */
async function keepRun(
  { store, home }: Engine,
  { id, ref, runId }: PhaseState,
  machine: string,
): Promise<void> {
  const cost = (await spendingIn(runsFolder(home, ref))).get(runId);
  const { machines, costs } = store.phase(id);
  store.keep(id, {
    ...(machine !== "" && { machines: { ...machines, [runId]: machine } }),
    ...(cost !== undefined && { costs: { ...costs, [runId]: cost } }),
  });
}

/** What a worker has to know of a run beside the state. */
type Task = Readonly<{ phase: string; maxBudgetUsd: number; asked: Json }>;

async function offerOf(engine: Engine, phase: Phase): Promise<Offer & { readonly task: Task }> {
  const { ref, runId } = phase.state;
  const maxBudgetUsd = await engine.budgetOfRun(phase.state);
  const task = { phase: phase.spec.id, maxBudgetUsd, asked: askedJson(engine, phase) };
  return { ...{ work: ref, runId, agents: [], labels: [] }, task };
}

function askedJson({ home }: Pick<Engine, "home">, { spec }: Pick<Phase, "spec">): Json {
  return JSON.parse(JSON.stringify(askedOf(home, spec.id))) as Json;
}

/** Offers that are worked on, or were, with something that has come of it. */
function takenOf({ offers, holders, results }: NebulaStatus): number {
  return offers.filter(
    ({ work, runId }) =>
      holders.some((each) => each.work === work) ||
      results.some((each) => each.key === "outcome" && each.work === work && each.runId === runId),
  ).length;
}

function unlessUnreachable(error: unknown): undefined {
  if (isUnreachable(error)) return undefined;
  throw error;
}
