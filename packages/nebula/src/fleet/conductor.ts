import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
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
  outcomeId,
  PortError,
  readReply,
} from "../port/index.ts";
import { gateId } from "../port/promises.ts";
import type { NebulaHome } from "../state/home.ts";
import type { PhaseState } from "../state/state.ts";
import type { Phase } from "../state/schedule.ts";
import { fetchBranch } from "./clone.ts";
import { depotNames } from "./depot-names.ts";
import type { HeldLease } from "./held-lease.ts";
import type { LaneRef } from "./lane-ref.ts";
import { readOutcome } from "./outcome.ts";
import { askedOf, takeQuestion } from "./questions.ts";
import { isUnreachable, pushWhenReached } from "./reach.ts";
import type { Recorder } from "./recorder.ts";
import { fetchRun } from "./run-folder.ts";
import type { ForServer } from "./take-over.ts";

export interface ConductorOptions {
  readonly port: NebulaPort;
  readonly depot: string;
  readonly held: HeldLease;
  readonly recorder: Recorder;
  readonly laneRef: LaneRef;
  readonly forServer: ForServer;
}

/** How often it is looked whether a run that nobody works on any more is to be waited for, in milliseconds. */
const LOOK_MS = 1000;

/** What an engine has done by workers, and by the depot: it is the nebula's conductor as long as it holds the lane. */
export class Conductor implements OverFleet {
  readonly #options: ConductorOptions;
  /** Items of the inbox that were left here for the engine. */
  readonly #left = new Map<string, InboxItem>();
  /** Keys of those that the engine has taken since, until the server has them no more. */
  readonly #taken = new Set<string>();
  #isPaused = false;
  #isStopping = false;

  constructor(options: ConductorOptions) {
    this.#options = options;
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
    recorder.offer(await offerOf(engine, phase));
    await recorder.recorded();
    const over = new AbortController();
    const signal = AbortSignal.any([engine.signal, held.lost, over.signal]);
    try {
      const value = await Promise.race([
        port.wait(nebula, outcomeId(ref, runId), signal),
        this.#nobodyWorks(engine, ref, signal),
        onceAborted(engine.signal),
      ]);
      // It stays offered: its worker continues, and the next conductor takes what comes of it.
      if (value === undefined) return { as: "interrupted" };
      await this.#fetchRun(engine, phase.state);
      const { came, machine } = readOutcome(value);
      // As long as it is offered: what is saved next says what came of it.
      if (machine !== "") keepMachine(engine, phase.state, machine);
      recorder.withdraw(ref);
      return came;
    } finally {
      over.abort();
    }
  }

  /** Resolves once the nebula stops, and nobody holds the work. */
  async #nobodyWorks(engine: Engine, ref: string, signal: AbortSignal): Promise<undefined> {
    const { port } = this.#options;
    const nebula = engine.store.current.id;
    while (!signal.aborted) {
      await sleep(LOOK_MS, undefined, { signal }).catch(() => {});
      if (!engine.steering.isStopping || signal.aborted) continue;
      const status = await port.status(nebula).catch(unlessUnreachable);
      if (status !== undefined && !status.holders.some(({ work }) => work === ref)) break;
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
    const pushed = await pushWhenReached(repository, { url: this.#options.depot, updates, signal });
    if (pushed.kind === "refused") throw new NebulaError("ERR_BRANCH", pushed.message);
  }

  async #fetchRun(engine: Engine, { ref, runId }: PhaseState): Promise<void> {
    const { port, depot } = this.#options;
    const { repository, signal, store } = engine;
    const nebula = store.current.id;
    for (;;) {
      try {
        const { results } = await port.status(nebula);
        const result = results.find(
          (each) => each.key === "outcome" && each.work === ref && each.runId === runId,
        );
        const epochs = result === undefined ? [] : [result.epoch];
        await fetchRun(repository, { depot, nebula, work: ref, runId, epochs, signal });
        return;
      } catch (error) {
        signal.throwIfAborted();
        engine.tell({
          type: "warning",
          message: `the run of ${ref} is fetched again: ${String(error)}`,
        });
        await sleep(LOOK_MS, undefined, { signal });
      }
    }
  }

  async moveBranch(
    engine: Engine,
    { id, onto, candidate }: Pick<PhaseState, "id" | "onto" | "candidate">,
  ): Promise<boolean> {
    const { recorder, laneRef, depot, port, held } = this.#options;
    const { store, repository, signal } = engine;
    const state = store.current;
    if (!(await recorder.close(gateId(store.phase(id))))) {
      await this.collect(engine);
      return false;
    }
    if ((await port.fence(held.lease)) === "stale") throw new PortError("ERR_CONFLICT", LOST);
    const landed = await laneRef.land({ branch: state.branch, onto, candidate });
    if (landed === "landed") return true;
    const tip = await fetchBranch(repository, { depot, state, signal });
    if ((await port.fence(held.lease)) === "stale") throw new PortError("ERR_CONFLICT", LOST);
    await laneRef.take(tip);
    return false;
  }

  async collect(engine: Engine): Promise<void> {
    const { port, recorder } = this.#options;
    const { home, store, repository } = engine;
    const status = await port.status(store.current.id).catch(unlessUnreachable);
    if (status === undefined) return;
    this.#order(engine, status);
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
      if (this.#left.has(item.key) || this.#taken.has(item.key)) continue;
      if (item.id.startsWith("plan/")) continue;
      if (item.id.startsWith("note/")) {
        takeQuestion(engine, item.value);
        recorder.took([item.key]);
        continue;
      }
      const id = item.id as Exclude<InboxItem["id"], `note/${string}`>;
      leaveReply({ ...answered, now: new Date() }, id, readReply(id, item.value as never));
      this.#left.set(item.key, item);
    }
  }

  /** Has the engine here follow what people ask of all who work on the nebula. */
  #order(engine: Engine, { orders }: NebulaStatus): void {
    const { repository, store } = engine;
    const { commonDir } = repository;
    const { current: state } = store;
    if (orders.isPaused !== this.#isPaused) {
      this.#isPaused = orders.isPaused;
      if (orders.isPaused) pauseNebula(commonDir, state, new Date());
      else continueNebula(commonDir, state);
    }
    if (orders.stop === "" || this.#isStopping) return;
    this.#isStopping = true;
    stopEngine(commonDir, state, { isNow: orders.stop === "now" });
  }
}

const LOST = "another machine has taken the lane over";

/** Who carried out the run of a phase's attempt. */
function keepMachine({ store }: Engine, { id, runId }: PhaseState, machine: string): void {
  store.keep(id, { machines: { ...store.phase(id).machines, [runId]: machine } });
}

async function offerOf(engine: Engine, { spec, state }: Phase): Promise<Offer> {
  const maxBudgetUsd = await engine.budgetOfRun(state);
  return {
    ...{ work: state.ref, runId: state.runId, agents: [], labels: [] },
    task: {
      maxBudgetUsd,
      asked: JSON.parse(JSON.stringify(askedOf(engine.home, spec.id))) as Json,
    },
  };
}

function unlessUnreachable(error: unknown): undefined {
  if (isUnreachable(error)) return undefined;
  throw error;
}
