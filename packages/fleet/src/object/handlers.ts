import {
  awaited,
  type Board,
  choicesOf,
  currentRecord,
  entryOf,
  eventsAfter,
  type Json,
  lease,
  type LeaseTable,
  newBoard,
  PortError,
  readReply,
  record,
  release,
  renew,
  resolve,
  signalled,
  statusOf,
} from "@quasar/nebula/port";
import type { Calls } from "../calls.ts";

/** The board as the object keeps it. */
export interface KeptBoard {
  /** One more with each change. */
  readonly version: number;
  readonly board: Board;
}

/** What a handler decides by. */
export interface Known {
  /** The object's key. */
  readonly nebula: string;
  /** `null`: the nebula is not there. */
  readonly kept: KeptBoard | null;
  readonly leases: LeaseTable;
  /** Milliseconds; 0 for handlers without a clock. */
  readonly now: number;
  /** Eight hex digits, random. */
  readonly writer: string;
}

/** What comes of a call: at most one of the two is changed, so that nobody sees half of a change. */
export interface Done<Answer> {
  readonly answer: Answer;
  readonly board?: Board | undefined;
  readonly leases?: LeaseTable | undefined;
}

export interface Handler<Name extends keyof Calls> {
  readonly hasClock: boolean;
  readonly run: (known: Known, body: Calls[Name]["body"]) => Done<Calls[Name]["answer"]>;
}

/** The calls of a nebula's object that are answered at once. */
export type Answered = Exclude<keyof Calls, "bell" | "list">;

/** All pure: the same call of the same object has the same answer, however often it is replayed. */
export const HANDLERS: { readonly [Name in Answered]: Handler<Name> } = {
  submit: {
    hasClock: false,
    run({ nebula, kept }, { submission, digest, facts }) {
      if (kept === null) return { answer: "begun", board: newBoard(submission, digest, facts) };
      if (kept.board.digest === digest) return { answer: "known" };
      throw new PortError("ERR_CONFLICT", `another nebula was submitted as ${nebula}`);
    },
  },
  lease: {
    hasClock: true,
    run(known, ask) {
      const board = boardOf(known);
      const { writer, now } = known;
      const wanted = { ask, choices: choicesOf(board, ask), offers: board.offers, writer };
      const [leases, given] = lease(known.leases, wanted, now);
      return { answer: given ?? null, leases };
    },
  },
  renew: {
    hasClock: true,
    run(known, held) {
      const { orders, ...board } = boardOf(known);
      const isCurrent = currentRecord(board, known.leases, held) !== undefined;
      if (!isCurrent) return { answer: { as: "stale" } };
      const [leases] = renew(known.leases, held, known.now);
      return { answer: { as: "held", orders }, leases };
    },
  },
  release: {
    hasClock: true,
    run(known, { held, how }) {
      boardOf(known);
      return { answer: null, leases: release(known.leases, held, how, known.now) };
    },
  },
  fence: {
    hasClock: false,
    run(known, held) {
      const isCurrent = currentRecord(boardOf(known), known.leases, held) !== undefined;
      return { answer: isCurrent ? "ok" : "stale" };
    },
  },
  record: {
    hasClock: false,
    run(known, { held, entry }) {
      const before = boardOf(known);
      const [board, answer] = record(before, currentRecord(before, known.leases, held), entry);
      return { answer, board };
    },
  },
  resolve: {
    hasClock: false,
    run(known, { id, reply }) {
      const said: Json = { ...readReply(id, reply as never).reply };
      const [board, answer] = resolve(boardOf(known), id, said);
      return { answer, board };
    },
  },
  signal: {
    hasClock: false,
    run(known, what) {
      const board = boardOf(known);
      return { answer: null, board: { ...board, orders: signalled(board.orders, what) } };
    },
  },
  status: {
    hasClock: false,
    run: (known) => ({ answer: statusOf(boardOf(known), known.leases) }),
  },
  look: {
    hasClock: false,
    run(known, id) {
      const board = boardOf(known);
      return { answer: { version: versionOf(known), found: awaited(board, id) } };
    },
  },
  events: {
    hasClock: false,
    run(known, from) {
      const { events } = boardOf(known);
      return { answer: { version: versionOf(known), ...eventsAfter(events, from) } };
    },
  },
};

/** What a nebula has in the list, where a call has changed that. */
export function newEntryOf(
  nebula: string,
  before: Board | undefined,
  after: Board,
): ReturnType<typeof entryOf> | undefined {
  const entry = entryOf(nebula, after);
  const isSame = before && entryOf(nebula, before).isUnfinished === entry.isUnfinished;
  return isSame === true ? undefined : entry;
}

function boardOf({ kept, nebula }: Known): Board {
  if (kept !== null) return kept.board;
  throw new PortError("ERR_NOT_FOUND", `there is no nebula ${nebula}`);
}

function versionOf({ kept }: Known): number {
  return kept?.version ?? 0;
}
