import { join } from "node:path";
import { lane, sample } from "@quasar/vitest/lane";
import { expect, test } from "vitest";
import { tortureAtlas } from "../../src/torture/atlas/torture.ts";
import { tortureQuasar } from "../../src/torture/quasar/torture.ts";
import { type Kill, parseKill } from "@quasar/torture";
import { ATLAS_MUTANTS, brokenQuasar, MUTANTS } from "./mutants.ts";

function killOf(text: string): Kill {
  const kill = parseKill(text);
  if (kill === undefined) throw new Error(`${text} is no kill`);
  return kill;
}

/** On a busy machine an agent may have ended before anybody resumes: then a kill shows nothing of who follows it. */
const MOST_TRIALS = 3;

test.for([...MUTANTS, ...ATLAS_MUTANTS])(
  "what was built still has what breaks where $name",
  (mutant) => {
    expect(brokenQuasar(mutant)).toContain("main.js");
  },
);

test.for(sample(MUTANTS, 1, 4))("sees it where $name", { timeout: 300_000 }, async (mutant) => {
  const quasar = { file: process.execPath, args: [brokenQuasar(mutant)] };
  const laws: string[] = [];
  for (let n = 0; n < MOST_TRIALS && !laws.includes(mutant.law); n += 1) {
    const { trials } = await tortureQuasar({ quasar, replay: [killOf(mutant.kill)] });
    laws.push(...trials.flatMap(({ deviations }) => deviations.map(({ law }) => law)));
  }
  expect(laws).toContain(mutant.law);
});

test.runIf(lane === "long").for(ATLAS_MUTANTS)(
  "sees it of atlas where $name",
  { timeout: 300_000 },
  async (mutant) => {
    const { trials } = await tortureAtlas({
      atlas: join(brokenQuasar(mutant), "../atlas.js"),
      replay: [killOf(mutant.kill)],
    });
    const laws = trials.flatMap(({ deviations }) => deviations.map(({ law }) => law));
    expect(laws).toContain(mutant.law);
  },
);
