import * as fc from "fast-check";
import { byLane } from "@quasar/vitest/lane";
import { expect, test } from "vitest";
import type { LoopOptions } from "../src/options.ts";
import { isUnknown } from "../src/transitions.ts";
import type { Nature } from "./agents.ts";
import { RESPONSE_USD } from "./agents.ts";
import { createMemoryTree, type Meddling } from "./simulated-tree.ts";
import { OTHERS, TWO_CYCLES } from "./scenarios.ts";
import { type LifeEnd, type Scenario, Simulation } from "./simulation.ts";

const NUMBER_OF_RUNS = byLane({ fast: 300, whole: 1000, long: 20_000 });

const NATURES: readonly Nature[] = [
  { fate: "unknown", sessions: "chosen" },
  { fate: "dies", sessions: "none" },
  { fate: "dies", sessions: "told" },
  { fate: "dies", sessions: "lost" },
  { fate: "ends", sessions: "chosen" },
  { fate: "lives", sessions: "chosen" },
];

const moment = fc.option(fc.integer({ min: 0, max: 60 }), { nil: undefined });
const deeds: readonly (keyof Meddling)[] = ["edit", "commit", "reset", "switch"];

/** A life of the runner, and what others do when it is over. */
const lives = fc.array(
  fc.record({
    killedAt: moment,
    interruptedAt: moment,
    acceptHead: fc.constantFrom(false, true),
    meddling: fc.array(fc.constantFrom(...deeds), { maxLength: 2 }),
  }),
  { maxLength: 6 },
);

const budgets = fc.constantFrom(0, 0.25, 1, 5);

type Life = typeof lives extends fc.Arbitrary<readonly (infer T)[]> ? T : never;

const NOTHING_TO_CHANGE = OTHERS.filter(
  ({ name }) => name === "a coder that has nothing to change",
);

/** What chance has found once: a runner dies as soon as it has saved that the review does not count. */
const EXAMPLES = NOTHING_TO_CHANGE.map((scenario): [Scenario, Nature, number, Life[]] => [
  scenario,
  { fate: "unknown", sessions: "chosen" },
  0,
  [
    { killedAt: undefined, interruptedAt: 9, acceptHead: false, meddling: ["edit"] },
    { killedAt: 11, interruptedAt: undefined, acceptHead: false, meddling: [] },
  ],
]);

/** How a life ends that was neither cut short nor refused. */
const OUTCOMES: ReadonlySet<string> = new Set([
  "approved",
  "max_cycles",
  "budget",
  "agent",
  "interrupted",
  "checkpoint",
  "git",
  "check",
  "work-tree",
  "approved-differs",
]);

const nameOf = ({ result, refusal }: LifeEnd): string =>
  refusal?.code ?? result?.outcome ?? "killed";

test("any sequence of crashes, resumes, interruptions and edits ends approved or with a name", {
  timeout: 600_000,
}, async () => {
  const ends = new Map<string, number>();
  const runs = fc.asyncProperty(
    fc.constantFrom(TWO_CYCLES, ...OTHERS),
    fc.constantFrom(...NATURES),
    budgets,
    lives,
    async (scenario, nature, maxBudgetUsd, plans) => {
      const simulated = createMemoryTree();
      const simulation = new Simulation(scenario, nature, simulated);
      const options: Partial<LoopOptions> = { maxBudgetUsd, maxCycles: 6 };
      for (const { meddling, acceptHead, ...plan } of plans) {
        await simulation.live({ ...plan, options: { ...options, acceptHead } });
        if (simulation.removed) break;
        for (const deed of meddling) simulated.meddling[deed]();
      }
      // What is refused or has run out is said again; whatever else ends, ends within these.
      const names: string[] = [];
      for (let last = 0; last < 3 && !simulation.removed; last += 1) {
        names.push(nameOf(await simulation.live({ options })));
      }
      const end = simulation.removed ? "approved" : names.at(-1);
      ends.set(String(end), (ends.get(String(end)) ?? 0) + 1);
      expect(end === "ERR_GIT_SHA_MISMATCH" || OUTCOMES.has(String(end)), end).toBe(true);
      expect(end).not.toBe("interrupted");
      expect(simulation.repeated).toEqual([]);
      expect(simulation.violations).toEqual([]);
      const { bills } = simulation.agents;
      const billed = [...bills.values()].reduce((total, usd) => total + usd, 0);
      const cap = maxBudgetUsd === 0 ? Number.POSITIVE_INFINITY : maxBudgetUsd;
      expect(billed).toBeLessThanOrEqual(cap + bills.size * RESPONSE_USD);
      const stored = (await simulated.store.load())?.checkpoint;
      // Of a turn that is still to be searched for, or of agents that nobody can look for.
      if (stored === undefined || isUnknown(stored)) return;
      const lost = stored.ledger.filter(({ status }) => status === "lost");
      if (nature.fate === "unknown") {
        for (const { costUsd, reservedUsd } of lost) expect(costUsd).toBe(reservedUsd);
        return;
      }
      expect(stored.totalCostUsd).toBeGreaterThanOrEqual(billed - 1e-9);
      for (const { turnId, costUsd } of lost) {
        // A turn that nothing but a commit is evidence of has its reservation.
        const bill = bills.get(turnId);
        if (bill !== undefined) expect(costUsd).toBeGreaterThanOrEqual(bill);
      }
    },
  );
  await fc.assert(runs, { numRuns: NUMBER_OF_RUNS, examples: EXAMPLES });
  // Ends of which there are none prove nothing.
  for (const end of ["approved", "budget", "ERR_GIT_SHA_MISMATCH"]) {
    expect(ends.get(end), end).toBeGreaterThan(10);
  }
});
