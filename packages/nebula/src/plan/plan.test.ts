import { expect, test } from "vitest";
import { aPhase, aSpec, MANIFEST, parsed } from "../../test/a-nebula.ts";
import { type NebulaPlan, planNebula } from "./plan.ts";

const FACTS = { user: {}, hasSubmodules: false } as const;

function plan(
  phases: Readonly<Record<string, readonly string[]>>,
  execution = "",
  keys: Readonly<Record<string, string>> = {},
): NebulaPlan {
  return planNebula(aSpec(phases, keys, `${MANIFEST}[execution]\n${execution}\n`), FACTS);
}

const DIAMOND = { a: [], b: ["a"], c: ["a"], d: ["b", "c"], e: [] };

test("a plan has phases in their order, with waves and the longest chain", () => {
  const { phases, waveCount, criticalPath } = plan(DIAMOND);
  expect(phases.map(({ phase, wave }) => `${phase.id}${wave}`)).toEqual([
    "a1",
    "b2",
    "c2",
    "d3",
    "e1",
  ]);
  expect(waveCount).toBe(3);
  expect(criticalPath.map(({ id }) => id)).toEqual(["a", "b", "d"]);
});

test("the cost is the sum of what each phase may cost, and the total is it unless the nebula says one", () => {
  expect(plan(DIAMOND).cost).toMatchObject({ capsUsd: 25, totalUsd: 25, isTotalGiven: false });
  const given = plan(DIAMOND, "max_budget_usd = 0.1\ntotal_budget_usd = 0.2", {
    a: "max_budget_usd = 0.2",
  });
  expect(given.cost).toMatchObject({ capsUsd: 0.6, totalUsd: 0.2, isTotalGiven: true });
});

test("where the user has no limit the sum has none either", () => {
  const spec = aSpec({ a: [], b: [] }, { a: "max_budget_usd = 1" });
  const { cost } = planNebula(spec, { ...FACTS, user: { maxBudgetUsd: 0 } });
  expect(cost).toMatchObject({ capsUsd: undefined, totalUsd: undefined, isTotalGiven: false });
});

test.for([
  [
    "more than the cap",
    "total_budget_usd = 500",
    20,
    { totalUsd: 20, isTotalCapped: true, askedUsd: 500 },
  ],
  [
    "a sum of more",
    "max_budget_usd = 100",
    20,
    { totalUsd: 20, isTotalCapped: true, askedUsd: 400 },
  ],
  [
    "no limit at all",
    "max_budget_usd = 0",
    20,
    { totalUsd: 20, isTotalCapped: true, askedUsd: undefined },
  ],
  ["the cap", "total_budget_usd = 20", 20, { totalUsd: 20, isTotalCapped: false, askedUsd: 20 }],
  ["anything, without a cap", "total_budget_usd = 500", 0, { totalUsd: 500, isTotalCapped: false }],
] as const)(
  "a nebula whose files ask for %s may cost what the user allows",
  ([, execution, maxTotalUsd, cost]) => {
    const four = { a: [], b: [], c: [], d: [] };
    const spec = aSpec(four, {}, `${MANIFEST}[execution]\n${execution}\n`);
    const user = { maxBudgetUsd: 0, maxTotalUsd };
    expect(planNebula(spec, { ...FACTS, user }).cost).toMatchObject(cost);
    const typed = { ...spec.execution, totalBudgetUsd: 70, isTotalTyped: true } as const;
    expect(planNebula({ ...spec, execution: typed }, { ...FACTS, user }).cost).toMatchObject({
      ...{ totalUsd: 70, isTotalGiven: true, isTotalCapped: false },
    });
  },
);

test("a plan says whether anything is verified: by verify, or by checks of every phase", () => {
  expect(plan({ a: [], b: [] }).isVerified).toBe(false);
  expect(plan({ a: [], b: [] }, 'verify = ["t"]').isVerified).toBe(true);
  expect(plan({ a: [], b: [] }, 'checks = ["t"]').isVerified).toBe(true);
  expect(plan({ a: [], b: [] }, "", { a: 'checks = ["t"]' }).isVerified).toBe(false);
});

test("a plan lists all that names a program, an agent or a file to copy, once, with its files", () => {
  const execution =
    'setup = ["install"]\nverify = ["t", "t"]\ncopy = [".env"]\nchecks = ["lint"]\ncoder = "codex"\n';
  const { asks } = plan({ a: [], b: [] }, execution, {
    a: 'reviewer = "claude"\nchecks = ["lint"]\nsetup = ["install"]',
    b: 'reviewer = "claude"\nchecks = ["own"]\nsetup = ["other"]\ncoder = "codex"',
  });
  expect(asks).toEqual([
    { key: "setup", value: "install", files: ["nebula.toml", "a.md"] },
    { key: "setup", value: "other", files: ["b.md"] },
    { key: "copy", value: ".env", files: ["nebula.toml"] },
    { key: "checks", value: "lint", files: ["nebula.toml", "a.md"] },
    { key: "checks", value: "own", files: ["b.md"] },
    { key: "verify", value: "t", files: ["nebula.toml"] },
    { key: "coder", value: "codex", files: ["nebula.toml", "b.md"] },
    { key: "reviewer", value: "claude", files: ["a.md", "b.md"] },
  ]);
  expect(plan({ a: [] }).asks).toEqual([]);
});

test("scopes that overlap by permission are listed, and those of phases in order are not", () => {
  const { overlaps } = plan({ a: [], b: ["a"], c: [] }, "", {
    a: 'scope = ["src/**"]',
    b: 'scope = ["src/x.ts"]',
    c: 'scope = ["src/x.ts"]\nallow_scope_overlap = true',
  });
  expect(overlaps.map(({ phases: [a, b], patterns }) => [a.id, b.id, ...patterns])).toEqual([
    ["a", "c", "src/**", "src/x.ts"],
    ["b", "c", "src/x.ts", "src/x.ts"],
  ]);
});

test.for([
  [false, "", "", false],
  [true, "", "", true],
  [true, 'setup = ["git submodule update --init"]', "", false],
  [true, 'setup = ["git submodule update --init"]', "setup = []", true],
] as const)(
  "submodules (%s) with the set-up %j and a phase's %j stay empty: %s",
  ([hasSubmodules, execution, own, expected]) => {
    const spec = aSpec({ a: [], b: [] }, { a: own }, `${MANIFEST}[execution]\n${execution}\n`);
    expect(planNebula(spec, { ...FACTS, hasSubmodules }).hasEmptySubmodules).toBe(expected);
  },
);

test("a nebula without phases has a plan without any", () => {
  const { spec } = parsed({});
  expect(spec && planNebula(spec, FACTS)).toMatchObject({
    phases: [],
    criticalPath: [],
    waveCount: 0,
    cost: { capsUsd: 0 },
  });
});

test("500 phases are parsed and planned within a second", () => {
  const texts = Object.fromEntries(
    Array.from({ length: 500 }, (_, n) => {
      const needs = n < 10 ? [] : [`p${n - 10}`, `p${n % 10}`];
      const keys = `depends_on = ${JSON.stringify(needs)}\nscope = ["src/p${n}/**", "test/p${n}-*.ts"]`;
      return [`${n}.md`, aPhase(`p${n}`, keys, "Do it.\n".repeat(100))];
    }),
  );
  const begun = performance.now();
  const { spec, problems } = parsed(texts);
  expect(problems).toEqual([]);
  expect(spec && planNebula(spec, FACTS).phases).toHaveLength(500);
  const ms = performance.now() - begun;
  // Four times what is promised: tests share their machine.
  expect(ms).toBeLessThan(4000);
});
