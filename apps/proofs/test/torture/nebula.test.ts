import { formatKill, type Kill, parseKill } from "@quasar/torture";
import { byLane, lane, sample, seed } from "@quasar/vitest/lane";
import { expect, test } from "vitest";
import { fivePhases } from "../../src/torture/nebula/five-phases.ts";
import { tortureNebula } from "../../src/torture/nebula/torture.ts";
import { subjectsOf } from "../../src/torture/nebula/tortured-nebula.ts";
import { brokenQuasar, MAIN, NEBULA_MUTANTS } from "./mutants.ts";

const quasar = { file: process.execPath, args: [MAIN] };

const STATE = "rename work/.git/quasar/nebulae/*/state.toml";

/** Where the branch, the state and what is at work part; `pnpm torture:nebula` has many more. */
const KILLS: readonly string[] = [
  `everything at ${STATE} #2`,
  "everything at asked coder 1, step 1 #1",
  "runner at asked coder 3, step 0 #1",
  "runner at fsync work/.git/refs/heads/nebula #3",
  `everything at ${STATE} #10`,
  `runner at ${STATE} #17`,
  "everything at asked coder 0, step 0 #1",
  `runner at ${STATE} #24`,
  `everything at ${STATE} #25`,
];

function killOf(text: string): Kill {
  const kill = parseKill(text);
  if (kill === undefined) throw new Error(`${text} is no kill`);
  return kill;
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

test.runIf(lane === "long").for(["plan", "ready"] as const)(
  "a nebula that is killed at any moments ends like one that never was, by merge_order %s",
  { timeout: 3_600_000 },
  async (order) => {
    const { trials } = await tortureNebula({ quasar, nebula: fivePhases(order), random: 12, seed });
    const failed = trials.filter(({ deviations }) => deviations.length > 0);
    expect(failed.map(({ kills, deviations }) => [kills.map(formatKill), deviations])).toEqual([]);
  },
);

test("what was built still has what breaks a nebula's promises", () => {
  for (const mutant of NEBULA_MUTANTS) expect(brokenQuasar(mutant)).toContain("main.js");
});

/** On a busy machine the phase that is to be late may be early: then a kill shows nothing. */
const MOST_TRIALS = 3;

test.for(sample(NEBULA_MUTANTS, 1, byLane({ fast: 0, whole: 0, long: NEBULA_MUTANTS.length })))(
  "sees it of a nebula where $name",
  { timeout: 900_000 },
  async (mutant) => {
    const broken = { file: process.execPath, args: [brokenQuasar(mutant)] };
    const laws: string[] = [];
    for (let n = 0; n < MOST_TRIALS && !laws.includes(mutant.law); n += 1) {
      const { trials } = await tortureNebula({ quasar: broken, replay: [killOf(mutant.kill)] });
      laws.push(...trials.flatMap(({ deviations }) => deviations.map(({ law }) => law)));
    }
    expect(laws).toContain(mutant.law);
  },
);
