import { isDeepStrictEqual } from "node:util";
import type { RecentEvents } from "../state/recent-events.ts";
import { PortError } from "./errors.ts";
import { heldRecord, holders, isSameEpoch, type LeaseRecord, type LeaseTable } from "./leases.ts";
import { requireName, requireStateSize, requireValueSize } from "./limits.ts";
import {
  type Entry,
  type Held,
  type InboxItem,
  type Json,
  type KeptResult,
  LANE,
  type LeaseAsk,
  type NebulaEntry,
  type NebulaStatus,
  type Offer,
  type Orders,
  type PromiseId,
  type Recorded,
  type Resolved,
  type Signal,
  type Submission,
} from "./port.ts";
import { isAnsweredOnce } from "./promises.ts";
import type { StateFacts } from "./state-facts.ts";

/** What is known of a nebula beside its leases. */
export interface Board extends Pick<NebulaStatus, "name" | "depot" | "state" | "orders"> {
  /** Of the submission. */
  readonly digest: string;
  readonly facts: StateFacts;
  /** The gate of what lands now; `""`: nothing does. */
  readonly closed: PromiseId | "";
  readonly offers: readonly Offer[];
  readonly results: readonly KeptResult[];
  readonly inbox: readonly InboxItem[];
  /** Notes that were in the inbox once, of runs that are offered: `<run id>/<key>`. */
  readonly noted: readonly string[];
  /** Of the next item of the inbox. */
  readonly nextKey: number;
  /** The newest events. */
  readonly events: RecentEvents;
}

export const NO_ORDERS: Orders = { isPaused: false, stop: "" };

/** A nebula that begins. */
export function newBoard(
  { name, depot, state }: Submission,
  digest: string,
  facts: StateFacts,
): Board {
  requireStateSize(state);
  return {
    ...{ name, depot, state, digest, facts, orders: NO_ORDERS },
    ...{ closed: "", offers: [], results: [], inbox: [], noted: [], nextKey: 1 },
    events: joined({ from: 1, events: [] }, facts.recent),
  };
}

/** What a worker could take of a nebula, in order; see `lease`. */
export function choicesOf(
  { orders, offers, results }: Pick<Board, "orders" | "offers" | "results">,
  { work, worker }: Pick<LeaseAsk, "work" | "worker">,
): readonly (Offer | undefined)[] {
  if (orders.stop !== "") return [];
  if (work === LANE) return [undefined];
  if (orders.isPaused) return [];
  const hasAll = (needed: readonly string[], has: readonly string[]): boolean =>
    needed.every((each) => has.includes(each));
  return offers.filter(
    (offer) =>
      (work === "any" || work === offer.work) &&
      hasAll(offer.agents, worker.agents) &&
      hasAll(offer.labels, worker.labels) &&
      !results.some((each) => each.key === "outcome" && isOf(offer, each)),
  );
}

/** What is held under an epoch and still offered; `undefined`: it is stale. */
export function currentRecord(
  { offers }: Pick<Board, "offers">,
  table: Pick<LeaseTable, "works">,
  held: Pick<Held, "work" | "epoch">,
): LeaseRecord | undefined {
  const record = heldRecord(table, held);
  if (record === undefined || record.work === LANE) return record;
  return offers.some((offer) => isOf(offer, record)) ? record : undefined;
}

function isOf(
  { work, runId }: Pick<Offer, "work" | "runId">,
  other: Pick<Offer, "work" | "runId">,
): boolean {
  return work === other.work && runId === other.runId;
}

/** A state with what its adapter has read of it, and everything else as it is. */
export type EntryToRecord =
  | (Extract<Entry, { readonly as: "state" }> & { readonly facts: StateFacts })
  | Exclude<Entry, { readonly as: "state" }>;

export type BoardStep<T> = readonly [board: Board, answer: T];

/** @param record - What its writer holds now; `undefined`: it is stale. @throws {PortError} as `NebulaPort.record` */
export function record(
  board: Board,
  held: LeaseRecord | undefined,
  entry: EntryToRecord,
): BoardStep<Recorded> {
  if (held === undefined || (held.work === LANE) !== (entry.as === "state")) {
    return [board, { as: "stale" }];
  }
  switch (entry.as) {
    case "state":
      return recordState(board, entry);
    case "result":
      return recordResult(board, held, entry);
    case "note":
      return recordNote(board, held, entry);
  }
}

function recordState(
  board: Board,
  entry: Extract<EntryToRecord, { readonly as: "state" }>,
): BoardStep<Recorded> {
  const { state, facts, taken, offers, closes = "" } = entry;
  requireStateSize(state);
  if (entry.onto !== board.facts.rev) {
    if (facts.rev === board.facts.rev) return [board, { as: "known", value: null }];
    throw new PortError("ERR_CONFLICT", "another state was recorded meanwhile");
  }
  const left = board.inbox.filter(({ key }) => !taken.includes(key));
  if (left.some(({ id }) => id === closes)) return [board, { as: "news" }];
  const isOffered = (run: Pick<Offer, "work" | "runId">): boolean =>
    offers.some((offer) => isOf(offer, run));
  const next: Board = {
    ...board,
    ...{ state, facts, offers, closed: closes },
    results: board.results.filter(isOffered),
    noted: board.noted.filter((each) => offers.some(({ runId }) => each.startsWith(`${runId}/`))),
    inbox: board.inbox.filter((item) => stays(item, taken, facts.open)),
    events: joined(board.events, facts.recent),
  };
  return [next, { as: "recorded" }];
}

/** The answer to a question stays for as long as it is asked: the first one counts. */
function stays(
  { key, id }: InboxItem,
  taken: readonly string[],
  open: readonly PromiseId[],
): boolean {
  return isQuestion(id) ? open.includes(id) : !taken.includes(key);
}

function isQuestion(id: InboxItem["id"]): id is PromiseId {
  return id.startsWith("question/");
}

function recordResult(
  board: Board,
  { work, runId, epoch }: LeaseRecord,
  { key, value }: Extract<Entry, { readonly as: "result" }>,
): BoardStep<Recorded> {
  requireValueSize(value);
  const isSame = (each: KeptResult): boolean => each.key === key && isOf(each, { work, runId });
  const before = board.results.find(isSame);
  if (before !== undefined && isSameEpoch(before.epoch, epoch)) {
    return [board, { as: "known", value: before.value }];
  }
  const others = board.results.filter((each) => !isSame(each));
  const results = [...others, { work, runId, key, epoch, value }];
  return [{ ...board, results }, { as: "recorded" }];
}

function recordNote(
  board: Board,
  { work, runId }: LeaseRecord,
  { key, value }: Extract<Entry, { readonly as: "note" }>,
): BoardStep<Recorded> {
  requireName("the key of a note", key);
  requireValueSize(value);
  const name = `${runId}/${key}`;
  if (board.noted.includes(name)) return [board, { as: "known", value: null }];
  const noted = [...board.noted, name];
  return [withItem({ ...board, noted }, `note/${work}/${key}`, value), { as: "recorded" }];
}

/** Keeps an answer, where one is waited for. */
export function resolve(board: Board, id: PromiseId, value: Json): BoardStep<Resolved> {
  requireValueSize(value);
  if (!board.facts.open.includes(id) || board.closed === id) return [board, { as: "closed" }];
  const before = board.inbox.find((item) => item.id === id);
  if (before === undefined) return [withItem(board, id, value), { as: "resolved" }];
  if (isDeepStrictEqual(before.value, value)) return [board, { as: "resolved" }];
  if (isAnsweredOnce(id)) return [board, { as: "already", value: before.value }];
  const inbox = board.inbox.filter((item) => item !== before);
  return [withItem({ ...board, inbox }, id, value), { as: "resolved" }];
}

function withItem(board: Board, id: InboxItem["id"], value: Json): Board {
  const { inbox, nextKey } = board;
  return { ...board, inbox: [...inbox, { key: `${nextKey}`, id, value }], nextKey: nextKey + 1 };
}

export function signalled(orders: Orders, what: Signal): Orders {
  switch (what) {
    case "pause":
      return { ...orders, isPaused: true };
    case "continue":
      return NO_ORDERS;
    case "stop":
      return { ...orders, stop: orders.stop === "" ? "after-turns" : orders.stop };
    case "cancel":
      return { ...orders, stop: "now" };
  }
}

/** What is known of an answer, or of what came of a run. */
export type Awaited =
  | { readonly as: "value"; readonly value: Json }
  /** `over`: nobody can give it any more. */
  | { readonly as: "waits" | "over" };

export function awaited(
  { inbox, results, facts, offers }: Pick<Board, "inbox" | "results" | "facts" | "offers">,
  id: string,
): Awaited {
  const item = inbox.find((each) => each.id === id);
  if (item !== undefined) return { as: "value", value: item.value };
  const outcome = results.find(
    (each) => each.key === "outcome" && id === `outcome/${each.work}/${each.runId}`,
  );
  if (outcome !== undefined) return { as: "value", value: outcome.value };
  const isAwaited =
    facts.open.some((open) => open === id) ||
    offers.some(({ work, runId }) => id === `outcome/${work}/${runId}`);
  return { as: isAwaited ? "waits" : "over" };
}

export function statusOf(board: Board, table: Pick<LeaseTable, "works">): NebulaStatus {
  const { name, depot, facts, state, orders, offers, results, inbox } = board;
  return {
    ...{ name, depot, rev: facts.rev, state, orders, offers, results, inbox },
    holders: holders(table),
  };
}

/** What somebody has answered is to be taken, also where all phases had come to an end. */
export function entryOf(
  id: string,
  { name, depot, facts, inbox }: Pick<Board, "name" | "depot" | "facts" | "inbox">,
): NebulaEntry {
  return { id, name, depot, isUnfinished: facts.isUnfinished || inbox.length > 0 };
}

/** Of the events that are kept for those who watch: number, and bytes of their texts. */
const MOST_EVENTS = 200;
const MOST_EVENT_BYTES = 256 * 1024;

/** Events with those that a state has beside them. Where some are missing in between, those before go. */
function joined(before: RecentEvents, { from, events }: RecentEvents): RecentEvents {
  const next = before.from + before.events.length;
  const all =
    from > next
      ? { from, events }
      : { from: before.from, events: [...before.events, ...events.slice(next - from)] };
  let bytes = 0;
  const kept = all.events
    .toReversed()
    .findIndex((text, at) => at >= MOST_EVENTS || (bytes += text.length) > MOST_EVENT_BYTES);
  const dropped = kept === -1 ? 0 : all.events.length - kept;
  return { from: all.from + dropped, events: all.events.slice(dropped) };
}

/** The events after a number, and whether some of them are not kept any more. */
export function eventsAfter(
  { from, events }: RecentEvents,
  after: number,
): { readonly to: number; readonly texts: readonly string[]; readonly isGap: boolean } {
  const to = from - 1 + events.length;
  const texts = events.slice(Math.max(0, after + 1 - from));
  return { to: Math.max(to, after), texts, isGap: after + 1 < from };
}
