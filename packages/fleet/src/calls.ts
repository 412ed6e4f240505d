import type {
  Awaited,
  EntryToRecord,
  Held,
  Json,
  Lease,
  LeaseAsk,
  NebulaEntry,
  NebulaStatus,
  PromiseId,
  Recorded,
  Release,
  Renewed,
  Resolved,
  Signal,
  StateFacts,
  Submission,
} from "@quasar/nebula/port";

/** Of calls and answers: the two sides have to be equal. */
export const PROTOCOL = 1;

/** The key under which all nebulae are listed; no nebula is called so. */
export const INDEX = "@index";

/** How long a call may be repeated so that it is carried out once, in milliseconds. */
export const REPEATED_MS = 60_000;

/** How long a bell waits for a change, in milliseconds. */
export const BELL_MS = 20_000;

interface Changed {
  /** Of the board: it is another one after each change. */
  readonly version: number;
}

/** What goes over the network: a nebula's object has a handler for each, but for `list`, which is the index's. */
export interface Calls {
  readonly submit: {
    readonly body: {
      readonly submission: Submission;
      readonly digest: string;
      readonly facts: StateFacts;
    };
    readonly answer: "begun" | "known";
  };
  readonly lease: { readonly body: LeaseAsk; readonly answer: Lease | null };
  readonly renew: { readonly body: Held; readonly answer: Renewed };
  readonly release: {
    readonly body: { readonly held: Held; readonly how: Release };
    readonly answer: null;
  };
  readonly fence: { readonly body: Held; readonly answer: "ok" | "stale" };
  readonly record: {
    readonly body: { readonly held: Held; readonly entry: EntryToRecord };
    readonly answer: Recorded;
  };
  readonly resolve: {
    readonly body: { readonly id: PromiseId; readonly reply: Json };
    readonly answer: Resolved;
  };
  readonly signal: { readonly body: Signal; readonly answer: null };
  readonly status: { readonly body: null; readonly answer: NebulaStatus };
  /** Whether something that is waited for is there. */
  readonly look: { readonly body: string; readonly answer: Changed & { readonly found: Awaited } };
  readonly events: {
    readonly body: number;
    readonly answer: Changed & {
      readonly to: number;
      readonly texts: readonly string[];
      readonly isGap: boolean;
    };
  };
  /** Answers once the board may have another version than this, or after a while. */
  readonly bell: { readonly body: number; readonly answer: null };
  readonly list: { readonly body: null; readonly answer: readonly NebulaEntry[] };
}

export type CallName = keyof Calls;

/** Calls that change nothing: several run at once, beside those that do. */
export const SHARED: ReadonlySet<CallName> = new Set(["status", "look", "events", "bell", "list"]);

/** An answer as it is sent: the value, or why there is none. */
export type Said =
  | { readonly v: number; readonly value: Json }
  | { readonly v: number; readonly refused: { readonly code: string; readonly message: string } };
