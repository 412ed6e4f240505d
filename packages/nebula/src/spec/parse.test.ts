import { expect, test } from "vitest";
import { aPhase, MANIFEST, parsed } from "../../test/a-nebula.ts";
import type { SpecProblem } from "./types.ts";

const lines = (problems: readonly SpecProblem[]): readonly string[] =>
  problems.map(({ category, file, message }) => `${category} ${file}: ${message}`);

test("defaults fill what phases do not say, where 0 and nothing do not count as said", () => {
  const defaults = '[defaults]\ntype = "bug"\npriority = 4\nlabels = ["x"]\nassignee = "ada"\n';
  const { spec } = parsed({
    "nebula.toml": MANIFEST + defaults,
    "a.md": aPhase("a", 'type = "task"\npriority = 1\nlabels = ["y"]\nassignee = "bo"'),
    "b.md": aPhase("b", 'type = ""\npriority = 0\nlabels = []\nassignee = ""'),
  });
  expect(spec?.phases).toMatchObject([
    { type: "task", priority: 1, labels: ["y"], assignee: "bo" },
    { type: "bug", priority: 4, labels: ["x"], assignee: "ada" },
  ]);
});

test("a phase that blocks another is one of its dependencies, in the order of the phases", () => {
  const { spec } = parsed({
    "1.md": aPhase("a", 'blocks = ["c"]'),
    "2.md": aPhase("b"),
    "3.md": aPhase("c", 'depends_on = ["b", "a", "b"]'),
    "4.md": aPhase("d", 'blocks = ["b"]'),
  });
  expect(spec?.phases.map(({ dependsOn }) => dependsOn)).toEqual([[], ["d"], ["a", "b"], []]);
});

test("everything that is wrong is found, by its file, nebula.toml first", () => {
  const { spec, problems } = parsed({
    "nebula.toml": '[nebula]\nname = " "\n[execution]\ngate = "no"\n',
    "+.md": aPhase("p", "", ""),
    "a.md": aPhase("a", 'depends_on = ["x", "a"]\nblocks = ["y"]'),
    "b.md": aPhase("A"),
    "c.md": aPhase("a", 'title2 = "t"'),
    "d.md": '+++\nid = ""\ntitle = " "\n+++\nx',
    "e.md": aPhase("e\u0007"),
  });
  expect(spec).toBeUndefined();
  expect(lines(problems)).toEqual([
    "invalid_gate nebula.toml: execution.gate is not one of trust, watch, review, approve",
    "missing_field nebula.toml: the nebula has no name",
    'empty_body +.md: "p" does not say what to do',
    'unknown_dep a.md: "a" depends on "x", which is no phase',
    'unknown_dep a.md: "a" blocks "y", which is no phase',
    'duplicate_id b.md: "A" is already in a.md as "a", which differs only in case',
    'unknown_key c.md: title2 is not a key that there is; did you mean "title"?',
    'duplicate_id c.md: "a" is already in a.md',
    "missing_field d.md: d.md has no id",
    "missing_field d.md: d.md has no title",
    'invalid_id e.md: the id "e\\u0007" has control characters',
  ]);
});

test("of a phase that is missing another one is said to be meant, never the phase itself", () => {
  const { problems } = parsed({
    "a.md": aPhase("delta", 'depends_on = ["beta", "alpa"]'),
    "b.md": aPhase("alpha", 'blocks = ["alpah"]'),
  });
  expect(lines(problems)).toEqual([
    'unknown_dep a.md: "delta" depends on "beta", which is no phase',
    'unknown_dep a.md: "delta" depends on "alpa", which is no phase; did you mean "alpha"?',
    'unknown_dep b.md: "alpha" blocks "alpah", which is no phase',
  ]);
});

test("ids that differ only in how an accent is written are the same", () => {
  const { problems } = parsed({ "a.md": aPhase("\u00e9"), "b.md": aPhase("e\u0301") });
  expect(problems).toMatchObject([{ category: "duplicate_id", file: "b.md" }]);
});

test("a cycle is named whole, also one by blocks, and a phase that needs itself", () => {
  const { problems } = parsed({
    "a.md": aPhase("a", 'depends_on = ["c"]'),
    "b.md": aPhase("b", 'depends_on = ["a", "d"]\nblocks = ["c"]'),
    "c.md": aPhase("c"),
    "d.md": aPhase("d"),
    "e.md": aPhase("e", 'depends_on = ["e", "a"]'),
  });
  expect(lines(problems)).toEqual([
    'cycle a.md: "a" needs "c" needs "b" needs "a"',
    'cycle e.md: "e" needs "e": self-referencing edge',
  ]);
});

test("cycles are searched only where nothing else is wrong, and scopes only without cycles", () => {
  const cycle = {
    "a.md": aPhase("a", 'depends_on = ["b"]\nscope = ["x"]'),
    "b.md": aPhase("b", 'depends_on = ["a"]'),
    "c.md": aPhase("c", 'scope = ["x"]'),
  };
  expect(parsed(cycle).problems.map(({ category }) => category)).toEqual(["cycle"]);
  const more = { ...cycle, "d.md": aPhase("d", 'depends_on = ["nobody"]') };
  expect(parsed(more).problems.map(({ category }) => category)).toEqual(["unknown_dep"]);
});

test("scopes of phases of which neither waits for the other may not overlap, unless one allows it", () => {
  const { problems } = parsed({
    "a.md": aPhase("a", 'scope = ["docs", "src/*.ts"]'),
    "b.md": aPhase("b", 'scope = ["src/main.ts"]'),
    "c.md": aPhase("c", 'scope = ["src"]\ndepends_on = ["a", "b"]'),
    "d.md": aPhase("d", 'scope = ["src"]\nallow_scope_overlap = true'),
    "e.md": aPhase("e"),
    "f.md": aPhase("f", 'scope = ["docs"]\ndepends_on = ["c"]'),
    "g.md": aPhase("g", 'scope = ["docs"]'),
  });
  const advice = "add a dependency, narrow a scope, or set allow_scope_overlap";
  expect(lines(problems)).toEqual([
    `scope_overlap a.md: "a" and "b" may both change "src/*.ts" and "src/main.ts": ${advice}`,
    `scope_overlap a.md: "a" and "g" may both change "docs": ${advice}`,
    `scope_overlap f.md: "f" and "g" may both change "docs": ${advice}`,
  ]);
});

test("routing that is switched on has named tiers with models, sorted up to 1", () => {
  const tiers = [
    '{ name = "a", model = "", max_score = 0.5 }',
    '{ name = "a", model = "m", max_score = 0.4 }',
    '{ model = "m", max_score = 0.9 }',
  ].join(", ");
  const routed = (enabled: boolean): readonly string[] =>
    lines(
      parsed({
        "nebula.toml": `${MANIFEST}[execution.routing]\nenabled = ${enabled}\ntiers = [${tiers}]\n`,
        "a.md": aPhase("a"),
      }).problems,
    );
  const at = "execution.routing.tiers";
  expect(routed(false)).toEqual([]);
  expect(routed(true)).toEqual([
    `invalid_routing nebula.toml: ${at}[0] names no model`,
    'invalid_routing nebula.toml: two tiers are called "a"',
    `invalid_routing nebula.toml: ${at}[1].max_score is less than that of the tier before it`,
    `invalid_routing nebula.toml: ${at}[2] has no name`,
    "invalid_routing nebula.toml: the last tier has a max_score below 1",
  ]);
});

test("what is not supported is a warning that says so", () => {
  const { spec, problems } = parsed({
    "nebula.toml": `${MANIFEST}[execution]\nauto_decompose = true\nmax_context_tokens = 8000\n[dependencies]\nrequires_beads = ["x-1"]\n`,
    "a.md": aPhase("a", "auto_decompose = true\ndecomposed = true"),
  });
  expect(spec?.phases).toHaveLength(1);
  expect(problems.map(({ severity, field }) => `${severity} ${field}`)).toEqual([
    "warning dependencies.requires_beads",
    "warning execution.auto_decompose",
    "warning execution.max_context_tokens",
    "warning auto_decompose",
    "warning decomposed",
  ]);
  expect(problems.every(({ category }) => category === "unsupported")).toBe(true);
});

test("names of what comes before may not be empty", () => {
  const { problems } = parsed({
    "nebula.toml": `${MANIFEST}[dependencies]\nrequires_beads = [""]\nrequires_nebulae = ["", "a"]\n`,
  });
  expect(problems.filter(({ severity }) => severity === "error")).toMatchObject([
    { category: "missing_field", field: "dependencies.requires_beads" },
    { category: "missing_field", field: "dependencies.requires_nebulae" },
  ]);
});

test("keys that there are not are errors where the configuration is strict", () => {
  const texts = { "a.md": aPhase("a", "color = 1") };
  expect(parsed(texts).spec).toBeDefined();
  const strict = parsed(texts, { isStrict: true });
  expect(strict.spec).toBeUndefined();
  expect(strict.problems).toMatchObject([{ category: "unknown_key", severity: "error" }]);
});

test("of a nebula.toml that cannot be read no key is missing", () => {
  const { problems } = parsed({ "nebula.toml": "[", "a.md": aPhase("a") });
  expect(problems.map(({ category }) => category)).toEqual(["syntax"]);
});

test("a chain of 10,000 phases, and as many that need each other in pairs, are checked soon", () => {
  const id = (n: number): string => `p${String(n).padStart(5, "0")}`;
  const all = Array.from({ length: 10_000 }, (_, n) => n);
  const folder = (needs: (n: number) => string) =>
    Object.fromEntries(all.map((n) => [`${id(n)}.md`, aPhase(id(n), needs(n))]));
  const begun = performance.now();
  const chain = folder((n) => (n === 0 ? "" : `depends_on = ["${id(n - 1)}"]`));
  expect(parsed(chain).spec?.phases).toHaveLength(10_000);
  const pairs = folder((n) => `depends_on = ["${id(n ^ 1)}"]`);
  expect(parsed(pairs).problems).toHaveLength(5000);
  expect(performance.now() - begun).toBeLessThan(60_000);
});
