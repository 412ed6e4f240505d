import { lane, seed } from "@quasar/vitest/lane";
import { expect, test } from "vitest";
import { missing } from "../../src/blackbox/needs.ts";
import { nameOf } from "../../src/faults/cases.ts";
import { sweep } from "../../src/faults/sweep.ts";

const isLong = lane === "long";
const CASES = isLong ? 650 : 6;
/** Of the calls that were chosen, how many come again in the run that is to fail; few say little. */
const LEAST_SHARE = isLong ? 0.7 : 0.3;

const skipped = missing("strace");
if (skipped !== undefined) console.warn(skipped);

const timeout = isLong ? 3_600_000 : 300_000;

test.skipIf(skipped !== undefined).concurrent.for(["run", "resume"] as const)(
  "a system call of quasar %s that fails is told of, and loses nothing",
  { timeout },
  async (target) => {
    let struck = 0;
    const bad: string[] = [];
    const all = await sweep(target, {
      cases: CASES,
      seed,
      onCase: (_, fault, outcome) => {
        if (outcome.isStruck) struck += 1;
        for (const message of outcome.bad) bad.push(`${nameOf(fault)}: ${message}`);
      },
    });
    console.log(`quasar ${target}: ${struck} of ${all} cases struck, seed ${seed}`);
    expect(struck).toBeGreaterThan(CASES * LEAST_SHARE);
    expect(bad, `seed ${seed}`).toEqual([]);
  },
);
