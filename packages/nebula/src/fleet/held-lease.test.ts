import { expect, onTestFinished, test } from "vitest";
import { type Lease, PortError } from "../port/index.ts";
import { type Clocks, CLOCKS, deadlineIn } from "./deadline.ts";
import { holdLease } from "./held-lease.ts";

const HOUR_MS = 3_600_000;

const LEASE: Lease = {
  ...{ nebula: "aaaaaaaaaa", work: "p1", epoch: { n: 1, writer: "00000000" } },
  ...{ ttlMs: 300, from: [] },
};

/** A lease whose wall clock can be set, and the renewals that were asked for. */
function aHeldLease() {
  let wallMs = 0;
  let renewals = 0;
  const clocks: Clocks = { ...CLOCKS, wall: () => CLOCKS.wall() + wallMs };
  const held = holdLease({
    lease: LEASE,
    port: {
      async renew() {
        renewals += 1;
        return { as: "held", orders: { isPaused: false, stop: "" } };
      },
      release: async () => {},
    },
    ...{ clocks, deadline: deadlineIn(LEASE.ttlMs, clocks), graceMs: 1000 },
    orders: { isPaused: false, stop: "" },
  });
  onTestFinished(() => held.release());
  return { held, jump: (ms: number) => void (wallMs += ms), renewals: () => renewals };
}

test("a wall clock that jumps forward has the server asked before anything begins, and nothing is lost", async () => {
  const { held, jump, renewals } = aHeldLease();
  const before = renewals();
  jump(HOUR_MS);
  expect(held.isSure).toBe(false);
  expect(await held.sure()).toBe(true);
  expect(renewals()).toBeGreaterThan(before);
  expect(held.lost.aborted).toBe(false);
});

test("a renewal without an answer is made again soon, not only after the next third", async () => {
  const askedAt: number[] = [];
  const again = Promise.withResolvers<void>();
  const held = holdLease({
    lease: { ...LEASE, ttlMs: 6000 },
    port: {
      async renew() {
        askedAt.push(performance.now());
        if (askedAt.length === 1) throw new PortError("ERR_UNREACHABLE", "cut");
        again.resolve();
        return { as: "held", orders: { isPaused: false, stop: "" } };
      },
      release: async () => {},
    },
    ...{ deadline: deadlineIn(6000), graceMs: 1000 },
    orders: { isPaused: false, stop: "" },
  });
  onTestFinished(() => held.release());
  await again.promise;
  const [first = 0, second = 0] = askedAt;
  expect(second - first).toBeLessThan(1500);
});

test("a wall clock that jumps back changes nothing", () => {
  const { held, jump } = aHeldLease();
  jump(-HOUR_MS);
  expect(held.isSure).toBe(true);
  expect(held.lost.aborted).toBe(false);
});
