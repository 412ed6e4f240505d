import * as fc from "fast-check";
import { byLane, seed } from "@quasar/vitest/lane";
import { expect, test } from "vitest";
import { outcomeOf } from "./outcome-laws.ts";
import { isAlone, type Plan, plans } from "./outcome-plan.ts";

const NUMBER_OF_RUNS = byLane({ fast: 8, whole: 12, long: 500 });

/** Sequences with others in which a kill makes the run stop that would have been approved. */
const MOST_STOPPED = 0.05;

/** A kill between the check that sends a cycle back and the coder that is to get it. */
const KILLED_BEFORE_TOLD: Plan = {
  coder: [{ by: "tool", resets: false, end: "nests" }],
  lint: "none",
  tests: "pass",
  hook: "none",
  reviewer: "reads",
  before: "none",
  person: [],
  kills: [{ cycle: 1, spot: "judged", what: "runner", fate: "lives" }],
};

test("whatever happens to a run, it is approved with all its work in HEAD, or says what differs", {
  timeout: 1_800_000,
}, async () => {
  const counts = { alone: 0, approved: 0, others: 0, stopped: 0 };
  const runs = fc.asyncProperty(plans, async (plan) => {
    const { end, twin, broken } = await outcomeOf(plan);
    expect(broken).toEqual([]);
    const isApproved = end.outcome === "approved";
    counts[isAlone(plan) ? "alone" : "others"] += 1;
    if (isApproved) counts.approved += 1;
    else if (twin.outcome === "approved") counts.stopped += 1;
  });
  await fc.assert(runs, { numRuns: NUMBER_OF_RUNS, seed, examples: [[KILLED_BEFORE_TOLD]] });
  console.log(`seed ${seed}: ${JSON.stringify(counts)}`);
  // A few of a few are no share.
  const most = Math.max(1, Math.ceil(counts.others * MOST_STOPPED));
  expect(counts.stopped, JSON.stringify(counts)).toBeLessThanOrEqual(most);
  expect(counts.approved).toBeGreaterThan(0);
});
