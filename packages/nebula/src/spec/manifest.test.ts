import { expect, test } from "vitest";
import { readManifest } from "./manifest.ts";

const ALL = `[nebula]
name = "auth"
description = "Tokens"
[defaults]
type = "feature"
priority = 2
labels = ["api"]
assignee = "ada"
[execution]
max_workers = 6
max_review_cycles = 5
max_budget_usd = 65.0
total_budget_usd = 200
max_context_tokens = 8000
model = "opus"
gate = "approve"
hail_timeout = "90s"
auto_decompose = true
setup = ["pnpm install --offline"]
setup_inputs = ["pnpm-lock.yaml"]
copy = [".env", "config/local.json"]
verify = ["pnpm test"]
verify_retries = 0
verify_clean = "all"
merge_order = "plan"
max_reworks = 1
rework_hold = "90s"
scope_policy = "enforce"
min_free = "512MiB"
timeout = "30m"
coder = "codex"
reviewer = "claude"
checks = ["pnpm lint"]
[execution.routing]
enabled = true
[[execution.routing.tiers]]
name = "all"
model = "opus"
max_score = 1.0
[context]
repo = "github.com/example/auth"
working_dir = "./services//auth/"
goals = ["a"]
constraints = ["b"]
[dependencies]
requires_beads = ["x-1"]
requires_nebulae = ["db"]
`;

test("every key of nebula.toml is read", () => {
  expect(readManifest(ALL)).toEqual({
    problems: [],
    manifest: {
      name: "auth",
      description: "Tokens",
      defaults: { type: "feature", priority: 2, labels: ["api"], assignee: "ada" },
      execution: {
        maxWorkers: 6,
        maxReviewCycles: 5,
        maxBudgetUsd: 65,
        totalBudgetUsd: 200,
        maxContextTokens: 8000,
        model: "opus",
        gate: "approve",
        hailTimeoutMs: 90_000,
        autoDecompose: true,
        routing: { enabled: true, tiers: [{ name: "all", model: "opus", maxScore: 1 }] },
        setup: ["pnpm install --offline"],
        setupInputs: ["pnpm-lock.yaml"],
        copy: [".env", "config/local.json"],
        verify: ["pnpm test"],
        verifyRetries: 0,
        verifyClean: "all",
        mergeOrder: "plan",
        maxReworks: 1,
        reworkHoldMs: 90_000,
        scopePolicy: "enforce",
        minFreeBytes: 512 * 1024 * 1024,
        timeoutMs: 1_800_000,
        coder: "codex",
        reviewer: "claude",
        checks: ["pnpm lint"],
      },
      context: {
        repo: "github.com/example/auth",
        workingDir: "services/auth",
        goals: ["a"],
        constraints: ["b"],
      },
      dependencies: { requiresBeads: ["x-1"], requiresNebulae: ["db"] },
    },
  });
});

test("what nebula.toml leaves out has its default, and so have texts and numbers that say nothing", () => {
  const execution = {
    maxWorkers: undefined,
    maxReviewCycles: undefined,
    maxBudgetUsd: undefined,
    totalBudgetUsd: undefined,
    maxContextTokens: 0,
    model: undefined,
    gate: "trust",
    hailTimeoutMs: 300_000,
    autoDecompose: false,
    routing: { enabled: false, tiers: [] },
    setup: [],
    setupInputs: undefined,
    copy: [],
    verify: [],
    verifyRetries: 1,
    verifyClean: "untracked",
    mergeOrder: "ready",
    maxReworks: 2,
    reworkHoldMs: 3_600_000,
    scopePolicy: "advise",
    minFreeBytes: 5_000_000_000,
    timeoutMs: 7_200_000,
    coder: undefined,
    reviewer: undefined,
    checks: [],
  };
  const nothing =
    '[execution]\nmax_workers = 0\nmax_budget_usd = 0.0\nmodel = ""\ngate = ""\nhail_timeout = ""\ntimeout = "0"\ncoder = ""\n';
  for (const text of ["", nothing]) {
    const { manifest, problems } = readManifest(text);
    expect(problems).toEqual([]);
    expect(manifest.execution).toEqual(execution);
    expect(manifest.context.workingDir).toBe(".");
  }
});

test.for([
  ["5m", 300_000],
  ["1h30m", 5_400_000],
  ["1.5h", 5_400_000],
  ["300ms", 300],
  ["0", 0],
  ["0s", 0],
  ["1us", 1],
] as const)("a question's timeout of %s is %i ms", ([text, ms]) => {
  const { manifest, problems } = readManifest(`[execution]\nhail_timeout = "${text}"\n`);
  expect(problems).toEqual([]);
  expect(manifest.execution.hailTimeoutMs).toBe(ms);
});

test.for(["soon", "5", "5 m", "-5m", "5d", "1e3s", "m"])(
  "a question's timeout of %s is an error",
  (text) => {
    expect(readManifest(`[execution]\nhail_timeout = "${text}"\n`).problems).toMatchObject([
      { category: "invalid_value", severity: "error", field: "execution.hail_timeout" },
    ]);
  },
);

test.for(["hail_timeout", "rework_hold", "timeout"])("%s has a longest length", (key) => {
  const said = (value: string) => readManifest(`[execution]\n${key} = "${value}"\n`).problems;
  expect(said("576h")).toEqual([]);
  expect(said("576h1ms")).toMatchObject([
    { category: "bounds_violation", severity: "error", field: `execution.${key}` },
  ]);
  expect(said("600h")[0]?.message).toContain("at most 576h");
});

test.for([
  ["[execution]\nmax_workers = 65", "bounds_violation", "execution.max_workers"],
  ["[execution]\nmax_workers = -1", "bounds_violation", "execution.max_workers"],
  ["[execution]\nmax_workers = 1.5", "bounds_violation", "execution.max_workers"],
  ["[execution]\nmax_workers = true", "invalid_value", "execution.max_workers"],
  ["[execution]\nmax_review_cycles = -1", "bounds_violation", "execution.max_review_cycles"],
  ["[execution]\nmax_budget_usd = -0.5", "bounds_violation", "execution.max_budget_usd"],
  ["[execution]\nmax_budget_usd = 1000001", "bounds_violation", "execution.max_budget_usd"],
  ["[execution]\ntotal_budget_usd = inf", "bounds_violation", "execution.total_budget_usd"],
  ["[execution]\ntotal_budget_usd = nan", "bounds_violation", "execution.total_budget_usd"],
  ["[execution]\nmax_context_tokens = -1", "bounds_violation", "execution.max_context_tokens"],
  ["[execution]\nmax_reworks = 6", "bounds_violation", "execution.max_reworks"],
  ['[execution]\ngate = "maybe"', "invalid_gate", "execution.gate"],
  ['[execution]\nmerge_order = "any"', "invalid_value", "execution.merge_order"],
  ['[execution]\nmin_free = "much"', "invalid_value", "execution.min_free"],
  ['[execution]\ncopy = ["../.env"]', "invalid_path", "execution.copy[0]"],
  ['[execution]\ncopy = ["/etc/passwd"]', "invalid_path", "execution.copy[0]"],
  ['[execution]\ncopy = [".git/config"]', "invalid_path", "execution.copy[0]"],
  ['[execution]\ncopy = ["a/.GIT/config"]', "invalid_path", "execution.copy[0]"],
  ['[execution]\ncopy = ["."]', "invalid_path", "execution.copy[0]"],
  ['[execution]\nsetup = ["a\\u0000b"]', "invalid_value", "execution.setup[0]"],
  ['[execution]\nreviewer = "acp:sh -c x"', "invalid_value", "execution.reviewer"],
  ['[context]\nworking_dir = "../other"', "invalid_path", "context.working_dir"],
  ['[context]\nworking_dir = "/srv"', "invalid_path", "context.working_dir"],
  [
    '[dependencies]\nrequires_nebulae = ["../x"]',
    "invalid_path",
    "dependencies.requires_nebulae[0]",
  ],
  ['[dependencies]\nrequires_nebulae = [".."]', "invalid_path", "dependencies.requires_nebulae[0]"],
  [
    '[dependencies]\nrequires_nebulae = ["a/b"]',
    "invalid_path",
    "dependencies.requires_nebulae[0]",
  ],
  ["nebula = 1", "invalid_value", "nebula"],
  ["[execution.routing]\ntiers = 1", "invalid_routing", "execution.routing.tiers"],
] as const)("%j is a problem of the kind %s", ([text, category, field]) => {
  expect(readManifest(text).problems).toMatchObject([
    { category, severity: "error", file: "nebula.toml", field },
  ]);
});

test("keys that there are not are warnings with their tables", () => {
  const text =
    "x = 1\n[nebula]\nnme = 1\n[execution]\npush = true\n[execution.routing]\nmode = 1\n[[execution.routing.tiers]]\ncost = 1\n[__proto__]\na = 1\n";
  expect(readManifest(text).problems.map(({ severity, field }) => `${severity} ${field}`)).toEqual([
    "warning x",
    "warning nebula.nme",
    "warning execution.push",
    "warning execution.routing.mode",
    "warning execution.routing.tiers[0].cost",
    "warning __proto__",
  ]);
});

test.for([
  ["no TOML", "[nebula\nname = 1", "at line 1"],
  ["a byte order mark", '\uFEFF[nebula]\nname = "a"', "byte order mark"],
  ["nested without end", `a = ${"[".repeat(100_000)}`, "not valid TOML"],
] as const)("a nebula.toml that is %s is one error of its syntax", ([, text, why]) => {
  const { problems } = readManifest(text);
  expect(problems).toMatchObject([{ category: "syntax", severity: "error" }]);
  expect(problems[0]?.message).toContain(why);
});
