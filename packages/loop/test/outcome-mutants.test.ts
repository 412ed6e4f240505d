import * as fc from "fast-check";
import type { SeenWork } from "@quasar/git";
import { sample } from "@quasar/vitest/lane";
import { expect, test } from "vitest";
import { outcomeOf } from "./outcome-laws.ts";
import { type Plan, plans } from "./outcome-plan.ts";
import type { Lie, World } from "./outcome-world.ts";

/** Most are caught by the first plans. */
const MOST_RUNS = 20;

/** After this one has worked a look shows what is uncommitted as it was before. */
function blindAfter(who: World["last"]): Lie {
  let before: SeenWork["dirty"] = [];
  return (repository, world) => ({
    ...repository,
    look: async (last) => {
      const seen = await repository.look(last);
      if (world.last === who) return { ...seen, dirty: before };
      before = seen.dirty;
      return seen;
    },
  });
}

interface Mutant {
  readonly lie: () => Lie;
  /** The law that it breaks. */
  readonly law: RegExp;
  /** What has to happen for it to matter. */
  readonly given: Partial<Plan>;
}

const MUTANTS: Readonly<Record<string, Mutant>> = {
  "does not look after lint": {
    lie: () => blindAfter("lint"),
    law: /uncommitted|HEAD is what/u,
    given: { lint: "formats", tests: "none" },
  },
  "does not look after a reviewer": {
    lie: () => blindAfter("reviewer"),
    law: /uncommitted/u,
    given: { reviewer: "edits" },
  },
  "does not look after git hooks": {
    lie: () => blindAfter("commit"),
    law: /uncommitted|HEAD is what/u,
    given: { hook: "formats", lint: "none", tests: "none" },
  },
};

test.for(sample(Object.entries(MUTANTS), 1))(
  "a run that %s breaks the property",
  { timeout: 1_800_000 },
  async ([, { lie, law, given }]) => {
    const broken = async (plan: Plan, told?: Lie): Promise<boolean> => {
      const outcome = await outcomeOf({ ...plan, ...given, kills: [] }, told);
      return outcome.broken.some((each) => law.test(each));
    };
    const held: Plan[] = [];
    const holds = fc.asyncProperty(plans, async (plan) => {
      if (await broken(plan, lie())) return false;
      held.push(plan);
      return true;
    });
    const report = await fc.check(holds, { numRuns: MOST_RUNS, seed: 1, endOnFailure: true });
    expect(report.failed, `${held.length} plans held`).toBe(true);
    const [caught] = report.counterexample ?? [];
    // Without the lie the same plan keeps the law.
    expect(caught && (await broken(caught))).toBe(false);
  },
);
