import {
  type Epoch,
  type Held,
  type Holder,
  LANE,
  type Lease,
  type LeaseAsk,
  type Offer,
  type Release,
} from "./port.ts";

/** What is known of the lease of one work. All times are those of the clock that is given, in milliseconds. */
export interface LeaseRecord {
  readonly work: string;
  readonly epoch: Epoch;
  /** The question that it was given for. */
  readonly ask: string;
  /** Who holds it; `""`: it was given back. */
  readonly worker: string;
  readonly machine: string;
  /** Of the offer; `""` for the lane. */
  readonly runId: string;
  readonly ttlMs: number;
  /** From when on another one may take it. */
  readonly until: number;
  /** Before which nobody takes the run that was given back. */
  readonly notBefore: number;
  /** Workers that cannot do the run. */
  readonly unfit: readonly string[];
  /** Epochs of the same run before, newest first. */
  readonly from: readonly Epoch[];
}

/** All leases of a nebula, as they are kept. */
export interface LeaseTable {
  /** When the clock was read last: more than that is not written. */
  readonly seenAt: number;
  readonly works: readonly LeaseRecord[];
}

export const NO_LEASES: LeaseTable = { seenAt: 0, works: [] };

/** How exactly it is kept when the clock was read last: each change of it is a write. */
const SEEN_MS = 500;

/** A clock does not go back by more than this unless somebody sets it. */
const BACK_MS = 1000;

const MOST_FROM = 8;

/**
 * Takes a look at the clock; first of all in each call that has one.
 *
 * Where nobody was heard for longer than a holder needs for its renewals (the server was down, the network cut, the machine
 * asleep, the clock set forward), each lease gets its whole time: who holds it could not renew. A clock that was set back
 * has no lease last longer than its whole time from now.
 */
export function tick(table: LeaseTable, now: number): LeaseTable {
  const { seenAt, works } = table;
  if (seenAt === 0) return { seenAt: now, works };
  if (now < seenAt - BACK_MS) {
    const by = seenAt - now;
    return { seenAt: now, works: works.map((each) => putBack(each, now, by)) };
  }
  if (now - seenAt <= SEEN_MS) return table;
  return { seenAt: now, works: works.map((each) => heardAgain(each, now, now - seenAt)) };
}

function putBack(record: LeaseRecord, now: number, by: number): LeaseRecord {
  const { until, notBefore, ttlMs } = record;
  return { ...record, until: Math.min(until, now + ttlMs), notBefore: notBefore - by };
}

function heardAgain(record: LeaseRecord, now: number, silentMs: number): LeaseRecord {
  const { until, ttlMs } = record;
  // Who renews is heard each third, and later by what its calls take: that is no silence.
  if (silentMs <= ttlMs / 2) return record;
  return { ...record, until: Math.max(until, now + ttlMs) };
}

/** What a lease is asked for, once it is known what there is. */
export interface Wanted {
  readonly ask: LeaseAsk;
  /** What the worker could take, in order; for the lane `undefined` alone. */
  readonly choices: readonly (Offer | undefined)[];
  /** All that is offered. */
  readonly offers: readonly Offer[];
  /** Of the epoch to come: random. */
  readonly writer: string;
}

export type Step<T> = readonly [table: LeaseTable, answer: T];

/** Gives a lease. A question that was answered with one gets the same again, and none once that one is over. */
export function lease(
  before: LeaseTable,
  { ask, choices, offers, writer }: Wanted,
  now: number,
): Step<Lease | undefined> {
  const table = tick(before, now);
  const given = table.works.find((each) => each.ask === ask.ask);
  if (given !== undefined) {
    const isIts = given.worker === ask.worker.id;
    const offer = offers.find((each) => each.work === given.work && each.runId === given.runId);
    const isOffered = given.work === LANE || offer !== undefined;
    return [table, isIts && isOffered ? leaseOf(ask.nebula, given, offer) : undefined];
  }
  for (const offer of choices) {
    const work = offer?.work ?? LANE;
    const runId = offer?.runId ?? "";
    const known = table.works.find((each) => each.work === work);
    const last = known?.runId === runId ? known : undefined;
    if (last !== undefined && !isFree(last, ask.worker.id, now)) continue;
    const record: LeaseRecord = {
      ...{ work, runId, ask: ask.ask, ttlMs: ask.ttlMs, until: now + ask.ttlMs, notBefore: 0 },
      ...{ worker: ask.worker.id, machine: ask.worker.machine },
      epoch: { n: (known?.epoch.n ?? 0) + 1, writer },
      unfit: last?.unfit ?? [],
      from: last === undefined ? [] : [last.epoch, ...last.from].slice(0, MOST_FROM),
    };
    return [replaced(table, record), leaseOf(ask.nebula, record, offer)];
  }
  return [table, undefined];
}

/** Whether another one may take a work, or the same run of it once more. */
function isFree(
  { worker, until, notBefore, unfit }: LeaseRecord,
  by: string,
  now: number,
): boolean {
  if (worker !== "") return now >= until;
  return now >= notBefore && !unfit.includes(by);
}

export function renew(before: LeaseTable, held: Held, now: number): Step<boolean> {
  const table = tick(before, now);
  const record = heldRecord(table, held);
  if (record === undefined) return [table, false];
  return [replaced(table, { ...record, until: now + record.ttlMs }), true];
}

export function release(
  before: LeaseTable,
  held: Held,
  { waitMs = 0, isUnfit = false }: Release,
  now: number,
): LeaseTable {
  const table = tick(before, now);
  const record = heldRecord(table, held);
  if (record === undefined) return table;
  const unfit = isUnfit ? [...record.unfit, record.worker] : record.unfit;
  return replaced(table, { ...record, worker: "", machine: "", unfit, notBefore: now + waitMs });
}

/** What is held under an epoch, whether it has expired or not; `undefined`: it is over. No clock decides that. */
export function heldRecord(
  { works }: Pick<LeaseTable, "works">,
  { work, epoch }: Pick<Held, "work" | "epoch">,
): LeaseRecord | undefined {
  const record = works.find((each) => each.work === work);
  if (record === undefined || record.worker === "") return undefined;
  return isSameEpoch(record.epoch, epoch) ? record : undefined;
}

export function holders({ works }: Pick<LeaseTable, "works">): readonly Holder[] {
  return works
    .filter(({ worker }) => worker !== "")
    .map(({ work, epoch, worker, machine }) => ({ work, epoch, worker, machine }));
}

export function isSameEpoch(one: Epoch, other: Epoch): boolean {
  return one.n === other.n && one.writer === other.writer;
}

function leaseOf(nebula: string, record: LeaseRecord, offer: Offer | undefined): Lease {
  const { work, epoch, ttlMs, from } = record;
  return { nebula, work, epoch, ttlMs, offer, from };
}

function replaced(table: LeaseTable, record: LeaseRecord): LeaseTable {
  const others = table.works.filter(({ work }) => work !== record.work);
  return { ...table, works: [...others, record] };
}
