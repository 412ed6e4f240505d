import { formatKill, KILL_KINDS, type Tortured } from "@quasar/torture";
import { byLane, lane, sample, seed } from "@quasar/vitest/lane";
import { expect, test } from "vitest";
import { FIFTY_PHASES } from "../../src/torture/nebula/fifty-phases.ts";
import { fivePhases } from "../../src/torture/nebula/five-phases.ts";
import { GATED_PHASES } from "../../src/torture/nebula/gated-phases.ts";
import { tortureNebula } from "../../src/torture/nebula/torture.ts";
import { subjectsOf } from "../../src/torture/nebula/tortured-nebula.ts";
import { brokenQuasar, killOf, lawsBroken, MAIN, NEBULA_MUTANTS } from "./mutants.ts";

const quasar = { file: process.execPath, args: [MAIN] };

const STATE = "rename work/.git/quasar/nebulae/*/state.toml";

/** Where the branch, the state and what is at work part; `pnpm torture:nebula` has many more. */
const KILLS: readonly string[] = [
  `everything at ${STATE} #3`,
  "everything at asked coder 1, step 1 #1",
  "runner at asked coder 3, step 0 #1",
  "runner at fsync work/.git/refs/heads/nebula #3",
  `everything at ${STATE} #11`,
  `runner at ${STATE} #18`,
  "everything at asked coder 0, step 0 #1",
  `runner at ${STATE} #25`,
  `everything at ${STATE} #26`,
];

function failuresOf(trials: Tortured["trials"]): readonly unknown[] {
  const failed = trials.filter(({ deviations }) => deviations.length > 0);
  return failed.map(({ kills, deviations }) => [kills.map(formatKill), deviations]);
}

test.for(sample(KILLS, 1, 1))(
  "a nebula that is killed, %s, ends like one that never was",
  { timeout: 600_000 },
  async (kill) => {
    const { whole, trials } = await tortureNebula({ quasar, replay: [killOf(kill)] });
    const landings = whole.facts["landings"] as readonly string[];
    expect(landings.map((line) => line.replace(/^\S+ /u, ""))).toEqual(
      subjectsOf(fivePhases("plan")),
    );
    expect(whole.facts).toMatchObject({ unsound: [], left: [], paidTwice: [] });
    expect(Object.values(whole.facts["phases"] as object)).toMatchObject(
      [1, 1, 1, 2, 1].map((attempt) => ({ status: "done", attempt })),
    );
    expect(trials.map(({ kills, deviations }) => [kills.map(formatKill), deviations])).toEqual([
      [[kill], []],
    ]);
  },
);

/** Where a person's word, a set-up and a verification that fails meet the engine. */
const GATED_KILLS: readonly string[] = [
  `runner at ${STATE} #1 in command 2`,
  `everything at ${STATE} #1 in command 4`,
  `everything at ${STATE} #3 in command 5`,
];

test.for(sample(GATED_KILLS, 1, 1))(
  "a nebula that waits for people is killed, %s, and ends like one that never was",
  { timeout: 600_000 },
  async (kill) => {
    const { whole, trials } = await tortureNebula({
      ...{ quasar, nebula: GATED_PHASES, replay: [killOf(kill)] },
    });
    expect(Object.values(whole.facts["phases"] as object)).toMatchObject(
      [1, 2].map((attempt) => ({ status: "done", attempt })),
    );
    expect(trials.map(({ kills, deviations }) => [kills.map(formatKill), deviations])).toEqual([
      [[kill], []],
    ]);
  },
);

/** Of some 1,900 kills a quarter; which one, the seed decides. */
const PART = { number: 1 + (seed % 4), of: 4 };

test.runIf(lane === "long")(
  "a nebula that is killed at any of its steps ends like one that never was",
  { timeout: 4 * 3_600_000 },
  async () => {
    const { trials } = await tortureNebula({ quasar, kinds: KILL_KINDS, part: PART });
    expect(trials.length).toBeGreaterThan(300);
    expect(failuresOf(trials)).toEqual([]);
  },
);

test.runIf(lane === "long")(
  "fifty phases whose engine is killed again and again land once each",
  { timeout: 3_600_000 },
  async () => {
    const { trials } = await tortureNebula({
      ...{ quasar, nebula: FIFTY_PHASES, seed },
      ...{ random: 1, everyMs: [500, 5000], kinds: KILL_KINDS },
    });
    expect(trials[0]?.kills.length).toBeGreaterThan(1);
    expect(failuresOf(trials)).toEqual([]);
  },
);

test.runIf(lane === "long").for(["plan", "ready"] as const)(
  "a nebula that is killed at any moments ends like one that never was, by merge_order %s",
  { timeout: 3_600_000 },
  async (order) => {
    const { trials } = await tortureNebula({ quasar, nebula: fivePhases(order), random: 12, seed });
    expect(failuresOf(trials)).toEqual([]);
  },
);

test("what was built still has what breaks a nebula's promises", () => {
  for (const mutant of NEBULA_MUTANTS) expect(brokenQuasar(mutant)).toContain("main.js");
});

test.for(sample(NEBULA_MUTANTS, 1, byLane({ fast: 0, whole: 0, long: NEBULA_MUTANTS.length })))(
  "sees it of a nebula where $name",
  { timeout: 900_000 },
  async (mutant) => {
    const quasar = { file: process.execPath, args: [brokenQuasar(mutant)] };
    const laws = await lawsBroken(mutant, (replay) => tortureNebula({ quasar, replay }));
    expect(laws).toContain(mutant.law);
  },
);
