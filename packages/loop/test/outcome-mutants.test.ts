import * as fc from "fast-check";
import type { SeenWork } from "@quasar/git/internal";
import type { ProtectedChange } from "@quasar/git/protected-files";
import { sample } from "@quasar/vitest/lane";
import { expect, test } from "vitest";
import { outcomeOf } from "./outcome-laws.ts";
import { type CoderEnd, type CoderPlan, type Plan, plans } from "./outcome-plan.ts";
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

/** A path that was not the run's holds for ever what it held when it was first looked at. */
function protectedByPath(): Lie {
  const first = new Map<string, ProtectedChange["now"]>();
  return (repository) => ({
    ...repository,
    contents: (paths, seen) => {
      for (const content of repository.contents(paths, seen)) {
        if (!first.has(content.path)) first.set(content.path, content);
      }
      return [...first.values()].filter(({ path }) => paths.includes(path));
    },
  });
}

/** HEAD is always on the branch where the run began. */
const onBranch: Lie = (repository) => ({
  ...repository,
  look: async (last) => ({ ...(await repository.look(last)), branch: "main" }),
  facts: async (since, seen) => ({ ...(await repository.facts(since, seen)), branch: "main" }),
});

/** No commit holds a link. */
const withoutLinks: Lie = (repository) => ({
  ...repository,
  landed: async (from, to) => ({ ...(await repository.landed(from, to)), links: [] }),
});

interface Mutant {
  readonly lie: () => Lie;
  /** The law that it breaks. */
  readonly law: RegExp;
  /** What has to happen for it to matter. */
  readonly given: Partial<Plan>;
}

const ending = (end: CoderEnd): CoderPlan => ({ by: "tool", resets: false, end });

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
  "protects files by their paths": {
    lie: protectedByPath,
    law: /the fix is in HEAD/u,
    given: {
      before: "in the same file",
      person: [],
      reviewer: "reads",
      coder: [ending("nothing")],
    },
  },
  "does not look at the branch": {
    lie: () => onBranch,
    law: /on the branch/u,
    given: { before: "none", person: [], coder: [ending("switches")] },
  },
  "does not look for links": {
    lie: () => withoutLinks,
    law: /files of a repository within/u,
    given: { before: "none", person: [], coder: [ending("nests and commits")] },
  },
};

test.for(sample(Object.entries(MUTANTS), 1, 3))(
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
