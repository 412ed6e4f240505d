import assert from "node:assert/strict";
import { decodeSaved, encodeState } from "../../state/codec.ts";
import type { NebulaEvent } from "../../events.ts";
import { newNebulaId, phaseRef } from "../../state/home.ts";
import type { RecentEvents } from "../../state/recent-events.ts";
import { type NebulaState, NO_PUSH, pendingPhase, type PhaseState } from "../../state/state.ts";
import { gateId, outcomeId } from "../../port/promises.ts";
import {
  type Entry,
  type InboxItem,
  type Json,
  LANE,
  type Lease,
  type LeaseAsk,
  type NebulaPort,
  type Offer,
  type OutcomeId,
  type PromiseId,
  type Recorded,
  type Submission,
  type Worker,
} from "../../port/port.ts";
import type { PortKit } from "./kit.ts";

/** The shortest that there is. */
export const TTL_MS = 3000;

export const NEVER: AbortSignal = new AbortController().signal;

export const DIGEST = "d".repeat(64);

const AT = "2026-11-20T23:04:05.000Z";

type StateEntry = Extract<Entry, { readonly as: "state" }>;

/** What a save of the conductor changes; what is left out stays. */
export interface Saved extends Partial<Pick<StateEntry, "onto" | "taken" | "offers" | "closes">> {
  readonly phases?: Readonly<Record<string, Partial<PhaseState>>> | undefined;
  readonly change?: Partial<NebulaState> | undefined;
  /** To be added. */
  readonly events?: readonly NebulaEvent[] | undefined;
}

/** A nebula of three phases, `a`, `b` and `c`, and those who work on it. */
export class Scene {
  readonly kit: PortKit;
  readonly id: string = newNebulaId();
  #asks = 0;

  constructor(kit: PortKit) {
    this.kit = kit;
  }

  get port(): NebulaPort {
    return this.kit.port;
  }

  submission(change: Partial<Submission> = {}): Submission {
    const state = this.kit.prepare(aState(this.id));
    return { id: this.id, name: "demo", depot: "", state: textOf(state), ...change };
  }

  async begin(): Promise<void> {
    assert.equal(await this.port.submit(this.submission()), "begun");
  }

  /** Has somebody conduct the nebula, and offer runs. */
  async conduct(...offers: readonly Offer[]): Promise<Lease> {
    const lane = await this.take(LANE, aWorker("conductor"));
    await this.save(lane, { offers });
    return lane;
  }

  async begun(...offers: readonly Offer[]): Promise<Lease> {
    await this.begin();
    return this.conduct(...offers);
  }

  ask(work: string, worker: Worker = aWorker("w1"), change: Partial<LeaseAsk> = {}): LeaseAsk {
    this.#asks += 1;
    const ask = `${worker.id}-${this.#asks}`;
    return { nebula: this.id, work, worker, ask, ttlMs: TTL_MS, ...change };
  }

  lease(work: string, worker?: Worker, change?: Partial<LeaseAsk>): Promise<Lease | undefined> {
    return this.port.lease(this.ask(work, worker, change));
  }

  async take(work: string, worker?: Worker): Promise<Lease> {
    const lease = await this.lease(work, worker);
    assert.ok(lease, `${work} is leased`);
    return lease;
  }

  /** Has another worker ask until the lease of somebody who does not renew is over. */
  async takeOver(work: string, worker: Worker = aWorker("w2")): Promise<Lease> {
    for (let passed = 0; passed <= 2 * TTL_MS; passed += 300) {
      const lease = await this.lease(work, worker);
      if (lease !== undefined) return lease;
      await this.kit.pass(300);
    }
    assert.fail(`${work} is leased after its time`);
  }

  /** Records a state made from the last one. */
  async save(lane: Lease, saved: Saved = {}): Promise<Recorded> {
    return this.port.record(lane, await this.entry(saved));
  }

  async entry({ phases = {}, change, events = [], ...rest }: Saved = {}): Promise<StateEntry> {
    const { rev, state: text, offers } = await this.port.status(this.id);
    const { state, recent } = decodeSaved(Buffer.from(text));
    const next = state.phases.map((phase) => ({ ...phase, ...phases[phase.id] }));
    const all = [...recent.events, ...events.map((event) => JSON.stringify({ at: AT, ...event }))];
    const { from } = recent;
    const made = textOf({ ...state, ...change, phases: next }, { from, events: all });
    return { as: "state", onto: rev, state: made, taken: [], offers, ...rest };
  }

  async state(): Promise<NebulaState> {
    return decodeSaved(Buffer.from((await this.port.status(this.id)).state)).state;
  }

  async inbox(): Promise<readonly InboxItem[]> {
    return (await this.port.status(this.id)).inbox;
  }

  wait(id: PromiseId | OutcomeId, signal: AbortSignal = NEVER): Promise<Json | undefined> {
    return this.port.wait(this.id, id, signal);
  }
}

/** Has another worker ask for a time in which a work is its holder's, however slow the calls themselves are. */
export async function stays(scene: Scene, work: string, ms: number): Promise<void> {
  const began = performance.now();
  for (let passed = 0; passed < ms && performance.now() - began < ms; passed += 300) {
    assert.equal(await scene.lease(work, aWorker("w2")), undefined);
    await scene.kit.pass(300);
  }
}

export const A: string = phaseRef(1, "a");
export const B: string = phaseRef(2, "b");
export const C: string = phaseRef(3, "c");

export const OUTCOME_OF_A: OutcomeId = outcomeId(A, `run-${A}`);

/** The gate of a phase that waits for a person, and how its phase is then. */
export const GATED: Partial<PhaseState> = {
  ...{ status: "awaiting_human", question: "land", attempt: 1, digest: DIGEST },
};
export const GATE_OF_A: PromiseId = gateId({ ref: A, attempt: 1, digest: DIGEST });

export const APPROVE = { verb: "approve", reason: "", isFinal: false } as const;
export const REJECT = { verb: "reject", reason: "not like this", isFinal: false } as const;

export const QUESTION = "q-01234567";
export const QUESTION_OF_A: PromiseId = `question/${QUESTION}`;
export const ASKING: Partial<PhaseState> = { status: "running", questions: [QUESTION] };

export function aWorker(id: string, change: Partial<Worker> = {}): Worker {
  return { id, machine: `machine of ${id}`, labels: ["linux"], agents: ["claude"], ...change };
}

export function anOffer(work: string, change: Partial<Offer> = {}): Offer {
  return { work, runId: `run-${work}`, agents: ["claude"], labels: [], task: { n: 1 }, ...change };
}

function aState(id: string): NebulaState {
  const phases = ["a", "b", "c"].map((name, at) =>
    pendingPhase(name, phaseRef(at + 1, name), new Date(AT)),
  );
  return {
    ...{ id, name: "demo", branch: "nebula/demo", dir: "/nowhere/demo", base: "1".repeat(40) },
    ...{ revision: "0".repeat(16), createdAt: AT, planVerdict: "", planReason: "" },
    ...{ archivedFrom: "", archivedTip: "", acceptedFailures: [], ownsBranch: false },
    ...NO_PUSH,
    phases,
  };
}

export function textOf(state: NebulaState, recent: RecentEvents = { from: 1, events: [] }): string {
  return Buffer.from(encodeState({ state, recent })).toString();
}
