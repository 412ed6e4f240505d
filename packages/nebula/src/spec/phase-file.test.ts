import * as fc from "fast-check";
import { expect, test } from "vitest";
import { encodePhaseFile, readPhaseFile } from "./phase-file.ts";
import { GATES, type PhaseFile } from "./types.ts";

const ALL = `+++
id = "auth"
title = "Log in"
type = "feature"
priority = 3
depends_on = ["db"]
labels = ["api"]
assignee = "ada"
max_review_cycles = 5
max_budget_usd = 70
model = "opus"
gate = "review"
blocks = ["docs"]
scope = ["internal/auth/**"]
allow_scope_overlap = true
decomposed = true
auto_decompose = false
checks = ["go vet ./..."]
coder = "codex"
reviewer = "claude"
timeout = "1h30m"
setup = ["go mod download"]
+++

# What to do

Log in with a token.
`;

test("every key of the front matter is read, and the body is the text behind it, trimmed", () => {
  expect(readPhaseFile("a.md", ALL)).toEqual({
    problems: [],
    phase: {
      id: "auth",
      file: "a.md",
      title: "Log in",
      type: "feature",
      priority: 3,
      dependsOn: ["db"],
      labels: ["api"],
      assignee: "ada",
      maxReviewCycles: 5,
      maxBudgetUsd: 70,
      model: "opus",
      gate: "review",
      blocks: ["docs"],
      scope: ["internal/auth/**"],
      allowScopeOverlap: true,
      decomposed: true,
      autoDecompose: false,
      checks: ["go vet ./..."],
      coder: "codex",
      reviewer: "claude",
      timeoutMs: 5_400_000,
      setup: ["go mod download"],
      body: "# What to do\n\nLog in with a token.",
    } satisfies PhaseFile,
  });
});

const HEAD = 'id = "a"\ntitle = "A"';

test.for([
  ["between lines that are exactly +++", `+++\n${HEAD}\n+++\nDo it.`],
  ["with line ends of Windows", `+++\r\n${HEAD.replace("\n", "\r\n")}\r\n+++\r\nDo it.`],
  ["below empty lines", `\n \n+++\n${HEAD}\n+++\nDo it.`],
  ["with a +++ in a text", `+++\nid = "a"\ntitle = "A"\nassignee = "x+++y"\n+++\nDo it.`],
  ["with a line that ends in +++", `+++\n${HEAD}\n# not yet +++\n+++\nDo it.`],
] as const)("front matter is read %s", ([, text]) => {
  const { phase, problems } = readPhaseFile("a.md", text);
  expect(problems).toEqual([]);
  expect(phase).toMatchObject({ id: "a", title: "A", body: "Do it." });
});

test("a body keeps lines of three plus signs", () => {
  const { phase } = readPhaseFile("a.md", `+++\n${HEAD}\n+++\none\n+++\ntwo\n`);
  expect(phase?.body).toBe("one\n+++\ntwo");
});

test("a file without front matter is a note, which is a warning", () => {
  expect(readPhaseFile("notes.md", "# Notes\n\n+++\n")).toEqual({
    phase: undefined,
    problems: [
      {
        category: "not_a_phase",
        severity: "warning",
        file: "notes.md",
        message: "notes.md has no front matter: it is a note, not a phase",
      },
    ],
  });
});

test.for([
  ["a byte order mark", `\uFEFF+++\n${HEAD}\n+++\nx`, "begins with a byte order mark"],
  ["more in its first line", `+++ toml\n${HEAD}\n+++\nx`, "has more than +++ in its first line"],
  ["no second line", `+++\n${HEAD}\n`, "has no second line +++"],
  ["no such line, but text with one", `+++\ntitle = "a+++b"\n`, "has no second line +++"],
  ["no TOML, with the line of the file", "\n\n+++\n\nid = \n+++\nx", "at line 5"],
  ["a key twice", '+++\nid = "a"\nid = "b"\n+++\nx', "is not valid TOML"],
] as const)("a file that has %s is an error", ([, text, why]) => {
  const { phase, problems } = readPhaseFile("a.md", text);
  expect(phase).toBeUndefined();
  expect(problems).toMatchObject([{ category: "syntax", severity: "error", file: "a.md" }]);
  expect(problems[0]?.message).toContain(why);
});

test.for([
  ["title = 3", "invalid_value", "title is not a text"],
  ["priority = 1.5", "bounds_violation", "priority is not a whole number"],
  ["max_budget_usd = -1", "bounds_violation", "max_budget_usd is not an amount from 0 to 1000000"],
  ["max_budget_usd = inf", "bounds_violation", "max_budget_usd is not an amount from 0 to 1000000"],
  ["max_budget_usd = nan", "bounds_violation", "max_budget_usd is not an amount from 0 to 1000000"],
  ["max_review_cycles = -1", "bounds_violation", "max_review_cycles is not a whole number of 0"],
  ['gate = "ask"', "invalid_gate", "gate is not one of trust, watch, review, approve"],
  ["gate = 1", "invalid_gate", "gate is not one of"],
  ['depends_on = "a"', "invalid_value", "depends_on is not a list"],
  ["labels = [1]", "invalid_value", "labels[0] is not a text"],
  ['scope = ["../x"]', "invalid_path", "scope[0] is not a path or pattern within the repository"],
  ['coder = "command:sh"', "invalid_value", "coder is not the name of an agent"],
  ['checks = [" "]', "invalid_value", "checks[0] is not a command"],
  ['timeout = "soon"', "invalid_value", "timeout is not a length of time"],
  ['timeout = "600h"', "bounds_violation", "timeout is not a length of time of at most 576h"],
  [`id = "${"x".repeat(1025)}"`, "invalid_id", "id is not a text of at most 1024 bytes"],
  ["labels = 1979-05-27", "invalid_value", "labels is not a list"],
] as const)("%s is an error of that key, and the others are read", ([line, category, message]) => {
  const others = ['id = "a"', 'title = "A"'].filter((each) => !line.startsWith(each.slice(0, 3)));
  const { phase, problems } = readPhaseFile(
    "a.md",
    `+++\n${others.join("\n")}\n${line}\ntype = "bug"\n+++\nx`,
  );
  expect(problems).toMatchObject([{ category, severity: "error", file: "a.md" }]);
  expect(problems[0]?.message).toContain(message);
  expect(phase?.type).toBe("bug");
});

test("keys that there are not are warnings, whatever they are called", () => {
  const keys = ['base = "tip"', "__proto__ = 1", "constructor = 2", '"a b".c = 3', "toString = 4"];
  const { phase, problems } = readPhaseFile("a.md", `+++\n${HEAD}\n${keys.join("\n")}\n+++\nx`);
  expect(problems).toMatchObject(
    ["base", "__proto__", "constructor", "a b", "toString"].map((field) => ({
      category: "unknown_key",
      severity: "warning",
      phaseId: "a",
      field,
      message: `${field} is not a key that there is`,
    })),
  );
  expect(Object.getPrototypeOf(phase)).toBe(Object.prototype);
  expect(JSON.stringify(phase)).not.toContain("proto");
});

const text = fc.string({ unit: "binary", maxLength: 20 }).map((each) => each.toWellFormed());
const some = fc.constantFrom(undefined, "claude", "codex");
const aFile: fc.Arbitrary<PhaseFile> = fc.record({
  id: fc.constantFrom("a", "ä+++", "x y"),
  file: fc.constant("a.md"),
  title: text,
  type: text,
  priority: fc.integer({ min: -10, max: 10 }),
  labels: fc.array(text, { maxLength: 3 }),
  assignee: text,
  dependsOn: fc.array(text, { maxLength: 3 }),
  blocks: fc.array(text, { maxLength: 3 }),
  maxReviewCycles: fc.constantFrom(undefined, 1, 7),
  maxBudgetUsd: fc.constantFrom(undefined, 0.5, 70),
  model: fc.constantFrom(undefined, "opus"),
  gate: fc.constantFrom(undefined, ...GATES),
  scope: fc.constantFrom([], ["src/**", "\\*.md"]),
  allowScopeOverlap: fc.boolean(),
  checks: fc.constantFrom([], ["printf \"%s\\n\" 'a'\nsecond line"]),
  coder: some,
  reviewer: some,
  timeoutMs: fc.constantFrom(undefined, 1, 1000, 90_000, 5_400_000, 36_000_000),
  setup: fc.constantFrom(undefined, [], ["pnpm install"]),
  decomposed: fc.boolean(),
  autoDecompose: fc.constantFrom(undefined, true, false),
  body: text.map((each) => each.trim()),
});

test("a phase that is written reads back as it was, its split marks too", () => {
  fc.assert(
    fc.property(aFile, (phase) => {
      const body = phase.body.replaceAll("\r", "").trim();
      const written = { ...phase, body };
      expect(readPhaseFile("a.md", encodePhaseFile(written))).toEqual({
        phase: written,
        problems: [],
      });
    }),
    { numRuns: 1000 },
  );
  const text = encodePhaseFile({ ...(readPhaseFile("a.md", ALL).phase as PhaseFile) });
  expect(text).toContain("decomposed = true\n");
  expect(text).toContain("auto_decompose = false\n");
});
