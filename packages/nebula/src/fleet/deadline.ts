import { uptime } from "node:os";

/** The clocks of a machine, in milliseconds. */
export interface Clocks {
  /** Runs evenly; on Linux it stands still while the machine sleeps. */
  readonly steady: () => number;
  /** Since the machine was started: counts its sleep, too. */
  readonly uptime: () => number;
  /** Since 1970: anybody may set it. */
  readonly wall: () => number;
}

export const CLOCKS: Clocks = {
  steady: () => performance.now(),
  uptime: () => uptime() * 1000,
  wall: () => Date.now(),
};

/** Until when this machine may take it that a lease is its own. */
export interface Deadline {
  /** Whether it is over by any of the clocks: then the server is asked before anything begins. */
  isOver(): boolean;
}

/**
 * The deadline of a lease that was asked for now: call it before the question is sent.
 *
 * Whichever clock comes first counts. The wall clock counts only where it has jumped by more than the whole lease against
 * the others: a machine may have slept without any of them having seen it.
 */
export function deadlineIn(ttlMs: number, clocks: Clocks = CLOCKS): Deadline {
  const [steady, up, wall] = [clocks.steady(), clocks.uptime(), clocks.wall()];
  return {
    isOver() {
      const passed = clocks.steady() - steady;
      const jumped = clocks.wall() - wall - passed;
      return passed >= ttlMs || clocks.uptime() - up >= ttlMs || jumped > ttlMs;
    },
  };
}
