import type { KeptEvent } from "../state/recent-events.ts";

/** What JSON can hold. */
export type Json =
  | null
  | boolean
  | number
  | string
  | readonly Json[]
  | { readonly [key: string]: Json };

/** The work of the conductor of a nebula: who holds its lease alone records states and lands. All others are phases' refs. */
export const LANE = "@lane";

/**
 * Which holding of a lease is meant. Both parts have to be equal: a server that has lost its data gives the same numbers
 * again, and never the same writer.
 */
export interface Epoch {
  /** From 1, one more with each holder of the same work. */
  readonly n: number;
  /** Eight hex digits, random. */
  readonly writer: string;
}

/** Under what a caller acts. */
export interface Held {
  readonly nebula: string;
  /** {@link LANE}, or the ref of a phase. */
  readonly work: string;
  readonly epoch: Epoch;
}

/** A process that asks for work. */
export interface Worker {
  /** Of one process, for as long as it lives. */
  readonly id: string;
  /** For people: where it runs. */
  readonly machine: string;
  readonly labels: readonly string[];
  /** Names of the agents that it can start. */
  readonly agents: readonly string[];
}

/** A run of a phase that a worker may take. */
export interface Offer {
  /** The ref of the phase. */
  readonly work: string;
  readonly runId: string;
  /** Names of the agents that it needs, and labels that its worker has to have. */
  readonly agents: readonly string[];
  readonly labels: readonly string[];
  /** What its worker needs to know beside that; no adapter reads it. */
  readonly task: Json;
}

export interface LeaseAsk {
  readonly nebula: string;
  /** {@link LANE}, the ref of a phase, or `any`: the first offer, in the conductor's order, that the worker can take. */
  readonly work: string;
  readonly worker: Worker;
  /** Random, and the same when the same question is asked again since no answer came: the answer is the same then. */
  readonly ask: string;
  /** How long the lease lasts without a renewal, in milliseconds: 3,000 to 600,000. It is renewed after a third of it. */
  readonly ttlMs: number;
}

/** A lease as it was given. */
export interface Lease extends Held {
  readonly ttlMs: number;
  /** Of a phase. */
  readonly offer?: Offer | undefined;
  /** The epochs of the same run before this one, newest first, 8 at most: where its work was copied to. */
  readonly from: readonly Epoch[];
}

/** What people ask of all who work on a nebula. */
export interface Orders {
  /** No turn and no phase begins; landings continue. */
  readonly isPaused: boolean;
  /** Nothing begins: all end after their turns, or at once. `""`: they continue. */
  readonly stop: "" | "after-turns" | "now";
}

export type Renewed = { readonly as: "held"; readonly orders: Orders } | { readonly as: "stale" };

/** How a worker gives a lease back. */
export interface Release {
  /** For how long nobody is to take the same run, in milliseconds. @default 0 */
  readonly waitMs?: number | undefined;
  /** Whether this worker cannot do it: it does not get the same run again. @default false */
  readonly isUnfit?: boolean | undefined;
}

/** A nebula that begins. The same submission again changes nothing. */
export interface Submission {
  /** As a nebula's id. */
  readonly id: string;
  readonly name: string;
  /** Where its commits and runs are copied to; `""`: nowhere but on this machine. */
  readonly depot: string;
  /** Its first state, as `state.toml` has it. */
  readonly state: string;
}

/**
 * What a person can answer: whether the change of a phase's attempt lands, and what becomes of one that cannot
 * (`gate/<phase ref>/<attempt>/<digest>`); whether a revision of the plan begins (`plan/<revision>`); a question of an
 * agent (`question/<id>`).
 */
export type PromiseId = `gate/${string}` | `plan/${string}` | `question/${string}`;

/** What came of a run: `outcome/<phase ref>/<run id>`. */
export type OutcomeId = `outcome/${string}`;

export interface GateReply {
  readonly verb: "approve" | "reject" | "retry" | "skip";
  readonly reason: string;
  readonly isFinal: boolean;
}

export interface PlanReply {
  readonly verb: "approve" | "reject";
  readonly reason: string;
}

export interface QuestionReply {
  readonly text: string;
  /** How an agent that answers names itself; `""`: a person answers. */
  readonly agent: string;
}

export type Reply = GateReply | PlanReply | QuestionReply;

/** `already`: it has another answer, which stays. `closed`: nobody waits for an answer, or does any more. */
export type Resolved =
  | { readonly as: "resolved" | "closed" }
  | { readonly as: "already"; readonly value: Json };

/** What the conductor has yet to take. */
export interface InboxItem {
  /** By which a state says that it has taken it. */
  readonly key: string;
  readonly id: PromiseId | `note/${string}`;
  readonly value: Json;
}

/** What a worker records of a run: what came of it, and the commits that it has taken over. */
export type ResultKey = "outcome" | "pin";

/** What {@link NebulaPort.record} keeps. */
export type Entry =
  | {
      /** Of the holder of {@link LANE} alone. */
      readonly as: "state";
      /** The {@link NebulaStatus.rev} that it was made from. */
      readonly onto: string;
      /** As `state.toml` has it. */
      readonly state: string;
      /** Keys of the inbox's items that it has taken: they go in the same step. */
      readonly taken: readonly string[];
      /** All that may be worked on now, most urgent first. Who works on what is missing here is stale. */
      readonly offers: readonly Offer[];
      /**
       * The gate of what lands next: no answer to it is taken until the next state. Refused as `news` where it has an
       * answer that this state has not taken. @default none
       */
      readonly closes?: PromiseId | undefined;
    }
  /** Of the holder of a phase. The first of each epoch counts. */
  | { readonly as: "result"; readonly key: ResultKey; readonly value: Json }
  /** For the conductor's inbox, once by its key. */
  | { readonly as: "note"; readonly key: string; readonly value: Json };

/** `known`: it was recorded before; of a result with the value that counts. */
export type Recorded =
  | { readonly as: "recorded" | "stale" | "news" }
  | { readonly as: "known"; readonly value: Json };

/** `pause` and `continue`; `stop` after the turns in flight, `cancel` at once, until `continue`. */
export type Signal = "pause" | "continue" | "stop" | "cancel";

/** New events, of which each is reported once. */
export interface Change {
  /** The number of the last one: what to watch from next. */
  readonly to: number;
  readonly events: readonly KeptEvent[];
  /** Whether events before these are not kept any more. */
  readonly isGap: boolean;
}

export interface NebulaEntry {
  readonly id: string;
  readonly name: string;
  readonly depot: string;
  readonly isUnfinished: boolean;
}

/** A result of a run that is offered. */
export interface KeptResult {
  readonly work: string;
  readonly runId: string;
  readonly key: ResultKey;
  readonly epoch: Epoch;
  readonly value: Json;
}

/** Who works on what. */
export interface Holder {
  readonly work: string;
  readonly epoch: Epoch;
  readonly worker: string;
  readonly machine: string;
}

/** What is known of a nebula, for display, and for the conductor that begins. */
export interface NebulaStatus {
  readonly name: string;
  readonly depot: string;
  /** Of the state: a digest of its text. */
  readonly rev: string;
  /** As `state.toml` has it. */
  readonly state: string;
  readonly orders: Orders;
  readonly offers: readonly Offer[];
  readonly results: readonly KeptResult[];
  /** Oldest first. */
  readonly inbox: readonly InboxItem[];
  readonly holders: readonly Holder[];
}

/**
 * All that those who work on a nebula, or look at it, need of each other: one machine has it over files, several have it
 * over a server. Each call may be made again where no answer came.
 *
 * All throw {@link PortError}: `ERR_NOT_FOUND` where there is no such nebula, `ERR_USAGE`, and over a network
 * `ERR_UNREACHABLE`, `ERR_DENIED`, `ERR_PROTOCOL`.
 */
export interface NebulaPort {
  /** @throws {PortError} `ERR_CONFLICT` where another submission has the id, `ERR_TOO_LARGE`. */
  submit(submission: Submission): Promise<"begun" | "known">;
  /** `undefined`: there is nothing for this worker now. */
  lease(ask: LeaseAsk): Promise<Lease | undefined>;
  /** Has a lease last its whole time again, also one that has expired and that nobody has taken. */
  renew(held: Held): Promise<Renewed>;
  /** Does nothing where the lease is another's by now. */
  release(held: Held, how?: Release): Promise<void>;
  /**
   * Whether a lease is held: linearizable, asked before each landing. What a worker begins it begins within the time of its
   * lease, and what it copies is under its own epoch.
   */
  fence(held: Held): Promise<"ok" | "stale">;
  /** @throws {PortError} `ERR_CONFLICT` for a state that was not made from the last one; `ERR_TOO_LARGE`. */
  record(held: Held, entry: Entry): Promise<Recorded>;
  /**
   * The value of what is resolved or recorded; `undefined` once nobody can give it any more. A server that is out of reach is
   * waited for as long as it takes.
   *
   * @throws the signal's reason
   */
  wait(nebula: string, id: PromiseId | OutcomeId, signal: AbortSignal): Promise<Json | undefined>;
  /** Answers: a question once, a gate or a plan again as long as nobody has taken the answer before. */
  resolve(nebula: string, id: PromiseId, reply: Reply): Promise<Resolved>;
  signal(nebula: string, what: Signal): Promise<void>;
  /** Events after the given number, as they come, until the signal: for display only. */
  watch(nebula: string, from: number, signal: AbortSignal): AsyncGenerator<Change, undefined>;
  /** A nebula is in it soon after it was submitted. */
  list(): Promise<readonly NebulaEntry[]>;
  status(nebula: string): Promise<NebulaStatus>;
}
