import { setTimeout as sleep } from "node:timers/promises";
import type { Held, NebulaPort, Orders, Release } from "../port/index.ts";
import { PortError } from "../port/index.ts";
import { CLOCKS, type Clocks, type Deadline, deadlineIn } from "./deadline.ts";

/** A lease that is renewed for as long as it is held. */
export interface HeldLease<L extends Held = Held> {
  readonly lease: L;
  /** What people ask of all who work on the nebula, as it was said last. */
  readonly orders: Orders;
  /** Aborted once somebody else has the work, or may have it: nothing of it continues. */
  readonly lost: AbortSignal;
  /** Whether it is certain that nobody else has the work: nothing begins otherwise. */
  readonly isSure: boolean;
  /** Waits until it is certain again. @returns `false` where it is lost. */
  sure(): Promise<boolean>;
  /** Gives it back, where it is not lost; the server may be out of reach. */
  release(how?: Release): Promise<void>;
}

export interface HoldOptions<L extends Held = Held> {
  readonly port: Pick<NebulaPort, "renew" | "release">;
  readonly lease: L & { readonly ttlMs: number };
  readonly orders: Orders;
  /** Of the question that was answered with the lease. */
  readonly deadline: Deadline;
  /** How long work that is under way continues without contact to the server, in milliseconds. */
  readonly graceMs: number;
  readonly clocks?: Clocks | undefined;
}

/** How often a server is tried that does not answer, in milliseconds. */
const AGAIN_MS = 500;

/**
 * Renews a lease after each third of its time. What cannot be renewed in time is not sure any more: what is under way
 * continues, and nothing begins, until the server says whose it is; without contact for the time of grace it counts as lost.
 */
export function holdLease<L extends Held>(options: HoldOptions<L>): HeldLease<L> {
  const { port, lease, graceMs, clocks = CLOCKS } = options;
  const lost = new AbortController();
  const ended = new AbortController();
  let { orders, deadline } = options;
  let isHeard = true;
  // Work that is under way is not cut off since somebody sets a clock.
  const even = { ...clocks, wall: clocks.steady };
  let grace = deadlineIn(lease.ttlMs + graceMs, even);
  const lose = (why: string): void => {
    lost.abort(new PortError("ERR_CONFLICT", why));
    ended.abort();
  };
  const renewOnce = async (): Promise<void> => {
    const next = deadlineIn(lease.ttlMs, clocks);
    const later = deadlineIn(lease.ttlMs + graceMs, even);
    try {
      const renewed = await port.renew(lease);
      if (renewed.as === "stale") lose("another worker has taken it over");
      else ({ orders } = renewed);
      [deadline, grace] = [next, later];
      isHeard = true;
    } catch (error) {
      isHeard = false;
      if (!(error instanceof PortError)) throw error;
      if (error.code === "ERR_NOT_FOUND") lose(error.message);
      else if (grace.isOver()) lose("the server was out of reach for too long");
    }
  };
  const renewing = (async (): Promise<void> => {
    while (!ended.signal.aborted) {
      const waitMs = isHeard && !deadline.isOver() ? lease.ttlMs / 3 : AGAIN_MS;
      await sleep(waitMs, undefined, { signal: ended.signal }).catch(() => {});
      if (!ended.signal.aborted) await renewOnce();
    }
  })();
  return {
    lease,
    get orders() {
      return orders;
    },
    lost: lost.signal,
    get isSure() {
      return !lost.signal.aborted && !deadline.isOver();
    },
    async sure() {
      while (!lost.signal.aborted && deadline.isOver()) {
        await sleep(AGAIN_MS / 2, undefined, { signal: lost.signal }).catch(() => {});
      }
      return !lost.signal.aborted;
    },
    async release(how = {}) {
      ended.abort();
      await renewing;
      if (!lost.signal.aborted) await port.release(lease, how).catch(() => {});
    },
  };
}
