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
} from "../port/index.ts";
import { gateId } from "../port/promises.ts";
import type { NebulaHome } from "../state/home.ts";
import { note } from "../state/report.ts";
import type { PhaseState } from "../state/state.ts";
import type { Phase } from "../state/schedule.ts";
import { readAnswer } from "./answers.ts";
import { depotNames } from "./depot-names.ts";
import type { HeldLease } from "./held-lease.ts";
import type { LaneRef } from "./lane-ref.ts";
import { readOutcome } from "./outcome.ts";
import { askedOf, takeQuestion } from "./questions.ts";
import { isUnreachable, pushWhenReached, whenReached } from "./reach.ts";
import type { Recorder } from "./recorder.ts";
import { takeLane } from "./take-lane.ts";
import type { ForServer } from "./take-over.ts";
import { takeRun } from "./take-run.ts";

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
  /** Keys of those that are no answers. */
  readonly #refused = new Set<string>();
  readonly #leaving = new AbortController();
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
    await recorder.offer(await offerOf(engine, phase));
    const over = new AbortController();
    const signal = AbortSignal.any([engine.signal, held.lost, over.signal]);
    try {
      const value = await Promise.race([
        port.wait(nebula, outcomeId(ref, runId), signal),
        this.#nobodyWorks(engine, ref, signal),
        onceAborted(AbortSignal.any([engine.signal, this.#leaving.signal])),
      ]);
      // It stays offered: its worker continues, and the next conductor takes what comes of it.
      if (value === undefined) return { as: "interrupted" };
      const whyNot = await this.#fetchRun(engine, phase.state);
      recorder.answered(ref);
      if (whyNot !== "") return { as: "failed", reason: `its run cannot be fetched: ${whyNot}` };
      const came = readOutcome(value);
      if (came.as !== "limited") haveSucceeded(engine, phase);
      return came;
    } finally {
      over.abort();
    }
  }

  leave(): void {
    this.#leaving.abort();
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

  /** @returns Why it cannot be here, whoever tries; `""`: it is. */
  async #fetchRun(engine: Engine, { ref, runId }: PhaseState): Promise<string> {
    const { port, depot } = this.#options;
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
    return whenReached(fetched, signal, warnerOf(engine));
  }

  async moveBranch(
    engine: Engine,
    { id, onto, candidate }: Pick<PhaseState, "id" | "onto" | "candidate">,
  ): Promise<boolean> {
    const { recorder, laneRef, depot } = this.#options;
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
    await whenReached(take, signal, warnerOf(engine));
    return false;
  }

  /** @throws {PortError} `ERR_CONFLICT` where another machine has it */
  async #requireLane(engine: Engine): Promise<void> {
    const { port, held } = this.#options;
    const fence = () => port.fence(held.lease);
    if ((await whenReached(fence, engine.signal, warnerOf(engine))) === "ok") return;
    throw new PortError("ERR_CONFLICT", "another machine has taken the lane over");
  }

  async collect(engine: Engine): Promise<void> {
    const { port, recorder } = this.#options;
    const { home, store, repository } = engine;
    const status = await port.status(store.current.id).catch(unlessUnreachable);
    if (status === undefined) return;
    this.#order(engine, status);
    const waiting = new Set(itemsOnDisk(home, store.current).map((item) => item.id));
    recorder.took(
      [...this.#left.values()].flatMap(({ key, id }) => (waiting.has(id) ? [] : [key])),
    );
    for (const [key, { id }] of this.#left) if (!waiting.has(id)) this.#left.delete(key);
    const answered = { commonDir: repository.commonDir, home, state: store.current };
    for (const item of status.inbox) {
      const isKnown = this.#left.has(item.key) || this.#refused.has(item.key);
      if (isKnown || item.id.startsWith("plan/")) continue;
      if (item.id.startsWith("note/")) {
        takeQuestion(engine, item.value);
        recorder.took([item.key]);
        continue;
      }
      const read = readAnswer(item);
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

/** The agents of a phase have worked, so that no limit of theirs that was met before is known to stand. */
function haveSucceeded(engine: Engine, { spec }: Phase): void {
  const { coder, reviewer } = engine.optionsOf(spec, engine.spec);
  const now = engine.now().getTime();
  for (const { name } of [coder, reviewer]) engine.agentLimits.succeeded(name, now);
}

function warnerOf({ tell }: Pick<Engine, "tell">): (message: string) => void {
  return (message) => tell({ type: "warning", message });
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
