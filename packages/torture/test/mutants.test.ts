import { expect, test } from "vitest";
import { type Kill, parseKill, tortureQuasar } from "../src/index.ts";
import { brokenQuasar, MUTANTS } from "./mutants.ts";

function killOf(text: string): Kill {
  const kill = parseKill(text);
  if (kill === undefined) throw new Error(`${text} is no kill`);
  return kill;
}

test.for(MUTANTS)("sees it where $name", { timeout: 120_000 }, async (mutant) => {
  const { trials } = await tortureQuasar({
    quasar: { file: process.execPath, args: [brokenQuasar(mutant)] },
    replay: [killOf(mutant.kill)],
  });
  const laws = trials.flatMap(({ deviations }) => deviations.map(({ law }) => law));
  expect(laws).toContain(mutant.law);
});
