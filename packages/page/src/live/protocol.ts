import type { NebulaEventFacts, NebulaFacts } from "@quasar/nebula/facts";
import type { RunFacts } from "@quasar/runs/facts";

/** What the live page shows: the facts as they are now, and what a person can decide of them. */
export interface LiveFacts {
  readonly facts: ReportFacts;
  /** All that can be decided now, and nothing else. */
  readonly decisions: readonly Decision[];
  /** Names the rules and values by which secrets were taken out. */
  readonly redactionDigest: string;
}

export type ReportFacts =
  | { readonly kind: "run"; readonly run: RunFacts }
  | { readonly kind: "nebula"; readonly nebula: NebulaFacts };

/** A message of the stream. Its id is the revision that a reader has after it. */
export interface LiveMessage extends LiveFacts {
  /** Without `events`, of its phases' runs too. */
  readonly facts: ReportFacts;
  /** How many events the reader has already: `events` come after those. 0: they are all. */
  readonly from: number;
  readonly events: readonly NebulaEventFacts[];
}

export type DecisionVerb = "approve" | "reject" | "answer" | "pause" | "continue";

/** What a person can decide, with all that it is about: of anything else it is refused. */
export interface Decision {
  readonly verb: DecisionVerb;
  /** `""`: the plan, or the whole nebula. */
  readonly phase: string;
  /** The attempt that the phase is at; 0 without a phase. */
  readonly attempt: number;
  /** Of the change that is shown, or the revision of the plan; `""` without one. */
  readonly digest: string;
  /** Of an agent's question; `""` otherwise. */
  readonly questionId: string;
}

/** What the page sends: a decision, and what was typed with it, a reason or an answer. */
export interface DecisionMade extends Decision {
  readonly text: string;
}

/** What became of a decision, in words. */
export interface DecisionNote {
  readonly text: string;
  /** Whether nothing was decided. */
  readonly isBad: boolean;
}

/** The paths that the page asks for. All but `page` need the token. */
export const LIVE_PATHS = {
  page: "/",
  /** The stream: server-sent events, each a {@link LiveMessage}, or `problem` with why there is none now; `""`: there is again. */
  events: "/events",
  /** `?turn=` */
  transcript: "/transcript",
  /** `?sha=`: what a commit or a landing changed. */
  diff: "/diff",
  /** `?phase=&digest=`: what a person is asked about. */
  change: "/change",
  decide: "/decide",
} as const;

/** In the fragment of the page's address: `#token=…`. */
export const TOKEN_KEY = "token";
