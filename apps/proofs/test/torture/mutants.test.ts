import { join } from "node:path";
import { lane, sample } from "@quasar/vitest/lane";
import { expect, test } from "vitest";
import { tortureAtlas } from "../../src/torture/atlas/torture.ts";
import { tortureQuasar } from "../../src/torture/quasar/torture.ts";
import { ATLAS_MUTANTS, brokenQuasar, lawsBroken, MUTANTS } from "./mutants.ts";

test.for([...MUTANTS, ...ATLAS_MUTANTS])(
  "what was built still has what breaks where $name",
  (mutant) => {
    expect(brokenQuasar(mutant)).toContain("main.js");
  },
);

test.for(sample(MUTANTS, 1, 4))("sees it where $name", { timeout: 300_000 }, async (mutant) => {
  const quasar = { file: process.execPath, args: [brokenQuasar(mutant)] };
  const laws = await lawsBroken(mutant, (replay) => tortureQuasar({ quasar, replay }));
  expect(laws).toContain(mutant.law);
});

test.runIf(lane === "long").for(ATLAS_MUTANTS)(
  "sees it of atlas where $name",
  { timeout: 300_000 },
  async (mutant) => {
    const atlas = join(brokenQuasar(mutant), "../atlas.js");
    const laws = await lawsBroken(mutant, (replay) => tortureAtlas({ atlas, replay }));
    expect(laws).toContain(mutant.law);
  },
);
