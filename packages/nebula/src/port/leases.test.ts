import * as fc from "fast-check";
import { expect, test } from "vitest";
import { heldRecord, lease, type LeaseTable, NO_LEASES, release, renew } from "./leases.ts";
import { type Lease, type LeaseAsk, type Offer } from "./port.ts";

const NEBULA = "aaaaaaaaaa";
const HOUR_MS = 3_600_000;
const OFFER: Offer = { work: "p1-00000000", runId: "run", agents: [], labels: [], task: null };

/** A worker as it sees itself: by its own clock, which nobody sets. */
interface Player {
  readonly id: string;
  held: Lease | undefined;
  heardAt: number;
}

interface Step {
  readonly who: number;
  readonly afterMs: number;
  readonly jumpMs: number;
  readonly does: "turn" | "release" | "sleep";
}

/** Steps are taken often, with silences and jumps of the clock in between. */
const step: fc.Arbitrary<Step> = fc.record({
  who: fc.nat(2),
  afterMs: fc.oneof(
    { weight: 20, arbitrary: fc.integer({ min: 0, max: 900 }) },
    { weight: 1, arbitrary: fc.integer({ min: 900, max: 60_000 }) },
  ),
  jumpMs: fc.oneof(
    { weight: 60, arbitrary: fc.constant(0) },
    { weight: 1, arbitrary: fc.constantFrom(-HOUR_MS, HOUR_MS) },
  ),
  does: fc.oneof(
    { weight: 20, arbitrary: fc.constant("turn" as const) },
    { weight: 1, arbitrary: fc.constantFrom("release" as const, "sleep" as const) },
  ),
});

test("no lease is given away before its holder had its whole time, whatever clocks and networks do", () => {
  let takeovers = 0;
  fc.assert(
    fc.property(
      fc.array(step, { minLength: 50, maxLength: 400 }),
      fc.constantFrom(3000, 10_000, 30_000),
      (steps, ttlMs) => {
        takeovers += walk(steps, ttlMs);
      },
    ),
    { numRuns: 200 },
  );
  expect(takeovers).toBeGreaterThan(20);
});

/** @returns How often a work was taken from a holder that was silent. */
function walk(steps: readonly Step[], ttlMs: number): number {
  let table: LeaseTable = NO_LEASES;
  const players = [0, 1, 2].map((n): Player => ({ id: `w${n}`, held: undefined, heardAt: 0 }));
  const epochs = new Set<string>();
  const asleep = new Set<number>();
  let [time, skew, calledAt, asks] = [1, 1e12, 1, 0];
  /** The end of the last silence in which a holder could not renew. */
  let backAt = 0;
  let takeovers = 0;
  for (const { who, afterMs, jumpMs, does } of steps) {
    time += afterMs;
    skew += jumpMs;
    const player = players[who];
    if (player === undefined) continue;
    if (does === "sleep") asleep.add(who);
    // One that sleeps calls again later, as one that was frozen does.
    if (asleep.has(who) && does !== "release") {
      if (asks % 17 === 0) asleep.delete(who);
      asks += 1;
      continue;
    }
    if (time - calledAt > ttlMs / 2) backAt = time;
    calledAt = time;
    const now = time + skew;
    if (player.held === undefined) {
      asks += 1;
      const ask = anAsk(player.id, `${asks}`, ttlMs);
      const writer = asks.toString(16).padStart(8, "0");
      const wanted = { ask, choices: [OFFER], offers: [OFFER], writer };
      const [next, given] = lease(table, wanted, now);
      table = next;
      if (given === undefined) continue;
      const before = players.find((each) => each !== player && each.held !== undefined);
      if (before !== undefined) {
        const heard = Math.max(before.heardAt, backAt);
        expect(time - heard, "the holder's time").toBeGreaterThanOrEqual(ttlMs);
        // It finds out at its next call.
        expect(renew(table, before.held as Lease, now)[1]).toBe(false);
        before.held = undefined;
        takeovers += 1;
      }
      const epoch = `${given.epoch.n}.${given.epoch.writer}`;
      expect(epochs.has(epoch)).toBe(false);
      epochs.add(epoch);
      player.held = given;
      player.heardAt = time;
    } else if (does === "release") {
      table = release(table, player.held, {}, now);
      player.held = undefined;
    } else {
      const [next, isHeld] = renew(table, player.held, now);
      table = next;
      expect(isHeld).toBe(true);
      player.heardAt = time;
    }
    const passing = players.filter(({ held }) => held !== undefined && heldRecord(table, held));
    expect(passing.length).toBeLessThanOrEqual(1);
  }
  return takeovers;
}

test.for([3000, 10_000, 30_000])(
  "what a dead worker holds for %i ms is free after that time, however clocks are set",
  (ttlMs) => {
    for (const jumpMs of [0, -HOUR_MS, HOUR_MS]) {
      const choices = { choices: [OFFER], offers: [OFFER] };
      const wanted = (id: string, ask: string) => ({
        ...{ ask: anAsk(id, ask, ttlMs), writer: `0000000${id.slice(1)}` },
        ...choices,
      });
      let [table] = lease(NO_LEASES, wanted("w1", "first"), 1e12);
      let taken = 0;
      for (let passed = 500; taken === 0 && passed < 10 * ttlMs; passed += 500) {
        const now = 1e12 + passed + (passed > ttlMs / 2 ? jumpMs : 0);
        const [next, given] = lease(table, wanted("w2", `at ${passed}`), now);
        table = next;
        if (given !== undefined) taken = passed;
      }
      expect(taken).toBeGreaterThanOrEqual(ttlMs);
      expect(taken).toBeLessThanOrEqual(jumpMs === 0 ? ttlMs : 2 * ttlMs);
    }
  },
);

test.for([3000, 10_000, 30_000])(
  "what a dead worker holds for %i ms is free, though another one is all that is heard",
  (ttlMs) => {
    const other: Offer = { ...OFFER, work: "p2-00000000" };
    const offers = [OFFER, other];
    const wanted = (id: string, choice: Offer) => ({
      ...{ ask: anAsk(id, id, ttlMs), writer: `0000000${id.slice(1)}`, offers },
      choices: [choice],
    });
    let [table] = lease(NO_LEASES, wanted("w1", OFFER), 1e12);
    const [begun, held] = lease(table, wanted("w2", other), 1e12);
    table = begun;
    // Each third of its time, and as long as the answer before took.
    const everyMs = ttlMs / 3 + 50;
    let now = 1e12;
    while (now < 1e12 + ttlMs) {
      now += everyMs;
      [table] = renew(table, held as Lease, now);
    }
    expect(lease(table, wanted("w3", OFFER), now)[1]?.epoch.n).toBe(2);
  },
);

function anAsk(id: string, ask: string, ttlMs: number): LeaseAsk {
  const worker = { id, machine: id, labels: [], agents: [] };
  return { nebula: NEBULA, work: "any", worker, ask: `${id}-${ask}`, ttlMs };
}
