import { expect, test } from "vitest";
import { aSpec, MANIFEST } from "../../test/a-nebula.ts";
import { promptOf } from "./prompt.ts";
import { complexityOf } from "./routing.ts";
import { type PhaseSettings, settingsOf, type UserSettings } from "./settings.ts";

function settings(keys: string, execution: string, user: UserSettings = {}): PhaseSettings {
  const spec = aSpec({ a: [] }, { a: keys }, `${MANIFEST}[execution]\n${execution}\n`);
  const [phase] = spec.phases;
  if (phase === undefined) throw new Error("no phase");
  return settingsOf(phase, spec.execution, user, 0);
}

const USER = {
  maxReviewCycles: 7,
  maxBudgetUsd: 9,
  model: "user's",
  coder: "gemini",
  reviewer: "gemini",
  checks: ["user's"],
};
const EXECUTION =
  'max_review_cycles = 5\nmax_budget_usd = 65\nmodel = "opus"\ngate = "review"\ncoder = "codex"\nreviewer = "codex"\nchecks = ["nebula\'s"]\nsetup = ["install"]\ntimeout = "1h"';
const PHASE =
  'max_review_cycles = 1\nmax_budget_usd = 2\nmodel = "haiku"\ngate = "trust"\ncoder = "claude"\nreviewer = "claude"\nchecks = ["own"]\nsetup = []\ntimeout = "1m"';

test("a phase's own settings come first, then the nebula's, then the user's, then 3 cycles and 5 dollars", () => {
  expect(settings(PHASE, EXECUTION, USER)).toEqual({
    maxReviewCycles: 1,
    maxBudgetUsd: 2,
    model: "haiku",
    tier: undefined,
    gate: "trust",
    coder: "claude",
    reviewer: "claude",
    checks: ["own"],
    setup: [],
    timeoutMs: 60_000,
  });
  expect(settings("", EXECUTION, USER)).toEqual({
    maxReviewCycles: 5,
    maxBudgetUsd: 65,
    model: "opus",
    tier: undefined,
    gate: "review",
    coder: "codex",
    reviewer: "codex",
    checks: ["nebula's"],
    setup: ["install"],
    timeoutMs: 3_600_000,
  });
  expect(settings("", "", USER)).toMatchObject(USER);
  expect(settings("", "")).toEqual({
    maxReviewCycles: 3,
    maxBudgetUsd: 5,
    model: undefined,
    tier: undefined,
    gate: "trust",
    coder: undefined,
    reviewer: undefined,
    checks: [],
    setup: [],
    timeoutMs: 7_200_000,
  });
});

test("routing chooses a model only where nobody names one", () => {
  const routing = "[execution.routing]\nenabled = true\n";
  const typed = 'type = "task"';
  expect(settings(typed, routing)).toMatchObject({ model: "claude-haiku", tier: "fast" });
  expect(settings(typed, routing, USER)).toMatchObject({ model: "user's", tier: undefined });
  expect(settings(typed, `model = "opus"\n${routing}`)).toMatchObject({ model: "opus" });
  expect(settings(`${typed}\nmodel = "m"`, routing)).toMatchObject({ model: "m" });
  const own = `${routing}tiers = [{ name = "one", model = "m1", max_score = 0.04 }, { name = "two", model = "m2", max_score = 1 }]`;
  expect(settings(typed, own)).toMatchObject({ model: "m2", tier: "two" });
});

test("the complexity of a phase grows with its scope, body, what is before it, and its type", () => {
  const phase = { scope: [], body: "", type: "task" };
  expect(complexityOf(phase, 0)).toBeCloseTo(0.045);
  expect(complexityOf({ ...phase, type: "feature" }, 0)).toBeCloseTo(0.12);
  expect(complexityOf({ ...phase, type: "other" }, 0)).toBeCloseTo(0.075);
  expect(complexityOf({ ...phase, scope: ["a", "b"] }, 4)).toBeCloseTo(0.045 + 0.05 + 0.125);
  expect(complexityOf({ ...phase, body: "😀".repeat(1500) }, 0)).toBeCloseTo(0.045 + 0.175);
  const full = {
    scope: Array.from({ length: 50 }, () => "a"),
    body: "x".repeat(9000),
    type: "bug",
  };
  expect(complexityOf(full, 100)).toBeCloseTo(0.85 + 0.06);
});

test.for([
  [[], [], "Do it."],
  [["a", "b"], [], "PROJECT CONTEXT:\nGoals:\n- a\n- b\n\nPHASE:\nDo it."],
  [[], ["c"], "PROJECT CONTEXT:\nConstraints:\n- c\n\nPHASE:\nDo it."],
  [["a"], ["c"], "PROJECT CONTEXT:\nGoals:\n- a\nConstraints:\n- c\n\nPHASE:\nDo it."],
] as const)("with the goals %j and constraints %j a prompt is %j", ([goals, constraints, text]) => {
  expect(promptOf({ goals, constraints }, "Do it.")).toBe(text);
});
