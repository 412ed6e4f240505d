import { assert, property, string } from "fast-check";
import { expect, test } from "vitest";
import { BUILT_IN_TEMPLATES } from "./built-in.ts";
import { fillTemplate } from "./fill-template.ts";
import { parseTemplate } from "./parse-template.ts";
import { listTemplates, resolveTemplate } from "./resolve-template.ts";
import type { Template } from "./template.ts";

const STEPS: Readonly<Record<string, string>> = {
  bugfix:
    "analyze[ai] implement[loop] validate[validation] git_commit[git] git_push[git] git_pr[git] review[human]",
  patch: "fix[loop] validate[validation] git_commit[git] git_push[git]",
  feature:
    "specify[ai] review_spec[human] plan[ai] implement[loop] verify[verify] validate[validation] git_commit[git] git_push[git] git_pr[git] ci_wait[ci] review[human]",
  task: "implement[loop] validate[validation] git_commit[git] git_push[git] git_pr[git] review[human]",
  commit: "analyze_changes[ai] git_commit[git] git_push[git]",
};

// SPEC.md, statements 6.
test("has the five built-in templates, step for step", () => {
  const found = BUILT_IN_TEMPLATES.map(({ id, steps }) => [
    id,
    steps.map(({ name, type }) => `${name}[${type}]`).join(" "),
  ]);
  expect(Object.fromEntries(found)).toEqual(STEPS);
});

test.for([
  ["bug", "bugfix", "fix"],
  ["fix", "bugfix", "fix"],
  ["bugfix", "bugfix", "fix"],
  ["hotfix", "patch", "patch"],
  ["patch", "patch", "patch"],
  ["feature", "feature", "feat"],
  ["task", "task", "task"],
  ["commit", "commit", "chore"],
] as const)("finds %s: it is %s, on a branch below %s/", ([name, id, branchPrefix]) => {
  expect(resolveTemplate(name)).toMatchObject({ id, branchPrefix });
});

test("lists what there is where a name is none", () => {
  const act = () => resolveTemplate("bugfux", [aTemplate()]);
  expect(act).toThrow(expect.objectContaining({ code: "ERR_TEMPLATE" }));
  expect(act).toThrow(/"bugfux".*bugfix or bug or fix.*docs or manual/);
});

test("lets a custom template take the place of the built-in one of its id", () => {
  const own = aTemplate({ id: "bugfix", aliases: ["hotfix"] });
  expect(resolveTemplate("bugfix", [own])).toBe(own);
  expect(resolveTemplate("hotfix", [own]), "its aliases come first").toBe(own);
  expect(resolveTemplate("patch", [own]).id).toBe("patch");
  expect(listTemplates([own])).toHaveLength(BUILT_IN_TEMPLATES.length);
});

test("fills every built-in template with nothing but a description", () => {
  for (const template of BUILT_IN_TEMPLATES) {
    const steps = fillTemplate(template, { description: "fix {{it}}", variables: {} });
    const texts = steps.flatMap(({ prompt = "", description }) => [prompt, description]);
    expect(texts.join("\n")).toContain("fix {{it}}");
    expect(texts.join("\n").replaceAll("fix {{it}}", "")).not.toMatch(/\{\{|\}\}/);
  }
});

test("gives every built-in validation step three attempts", () => {
  const all = BUILT_IN_TEMPLATES.flatMap(({ steps }) => steps);
  const attempts = all.filter(({ type }) => type === "validation").map((step) => step.maxAttempts);
  expect(attempts).toEqual([3, 3, 3, 3]);
});

const WRITTEN = `
id = "docs"
aliases = ["manual"]
description = "Write a page"
branch_prefix = "docs"

[variables.audience]
description = "Who reads it"

[variables.tone]
description = "How it sounds"
default = "plain"

[[steps]]
name = "write"
type = "ai"
access = "write"
prompt = "For {{ audience }}, {{tone}}: {{description}}"
max_attempts = 2
timeout_minutes = 1.5

[[steps]]
name = "push"
type = "git"
action = "push"
on_reject = "write"
`;

test("reads a template that somebody has written", () => {
  expect(parseTemplate(WRITTEN)).toEqual({
    id: "docs",
    aliases: ["manual"],
    description: "Write a page",
    branchPrefix: "docs",
    variables: {
      audience: { description: "Who reads it" },
      tone: { description: "How it sounds", default: "plain" },
    },
    steps: [
      {
        name: "write",
        type: "ai",
        description: "write",
        access: "write",
        prompt: "For {{ audience }}, {{tone}}: {{description}}",
        maxAttempts: 2,
        timeoutMs: 90_000,
        recovery: "retry",
      },
      {
        name: "push",
        type: "git",
        action: "push",
        description: "push",
        maxAttempts: 3,
        recovery: "reconcile",
        onReject: "write",
      },
    ],
  });
});

test("fills in variables, their defaults and the description, each once", () => {
  const variables = { audience: "{{tone}} $& people" };
  const [step] = fillTemplate(parseTemplate(WRITTEN), { description: "{{audience}}", variables });
  expect(step?.prompt).toBe("For {{tone}} $& people, plain: {{audience}}");
});

test.for([
  ["a missing variable", {}, "the template docs needs the variable audience (Who reads it)"],
  [
    "an unknown variable",
    { audience: "a", constructor: "b" },
    'has no variable "constructor"; it has audience, tone',
  ],
  ["a variable called description", { audience: "a", description: "b" }, "has no variable"],
] as const)("refuses %s", ([, variables, message]) => {
  const act = () => fillTemplate(parseTemplate(WRITTEN), { description: "d", variables });
  expect(act).toThrow(expect.objectContaining({ code: "ERR_TEMPLATE" }));
  expect(act).toThrow(message);
});

test.for([
  ['id = "docs"', 'id = "../docs"', "id is not 1 to 40 of"],
  ['id = "docs"', "id = 7", "id is not a text"],
  ['id = "docs"\n', "", "id is not there"],
  ['["manual"]', '["a b"]', "aliases[0] is not 1 to 40 of"],
  ['"Write a page"', '"Write\\u001b[2J"', "description is not one line"],
  ['branch_prefix = "docs"', 'branch_prefix = "-d"', "branch_prefix is not 1 to 40 of"],
  ['branch_prefix = "docs"', 'branch_prefix = "a/../b"', "branch_prefix is not 1 to 40 of"],
  ['branch_prefix = "docs"', 'branch_prefx = "docs"', "branch_prefix is not there"],
  ["[variables.tone]", "[variables.Tone]", "variables.Tone is not a name"],
  ["[variables.tone]", "[variables.description]", "variables.description is not a name"],
  ["[variables.tone]", "[variables.__proto__]", 'names a variable that is not declared: "tone"'],
  ['default = "plain"', "default = 1", "variables.tone.default is not a text"],
  ['name = "write"', 'name = "a/b"', "steps[0].name is not 1 to 40 of"],
  ['name = "write"', 'name = "-w"', "steps[0].name is not 1 to 40 of"],
  ['name = "push"', 'name = "write"', "steps[1].name is taken: write"],
  ['type = "ai"', 'type = "sdd"', "steps[0].type is not one of ai, loop"],
  ['type = "ai"', 'type = "loop"', "steps[0].access is not for a step of this type"],
  ['action = "push"\n', "", "steps[1].action is not there"],
  ['action = "push"', 'action = "merge"', "steps[1].action is not one of commit"],
  ['access = "write"', 'access = "write"\naction = "push"', "steps[0].action is not for"],
  ['prompt = "For', 'unused = "For', "steps[0].unused is not a key"],
  ["{{description}}", "{{descriptoin}}", "steps[0].prompt names a variable that is not declared"],
  ["max_attempts = 2", "max_attempts = 0", "steps[0].max_attempts is not a whole number"],
  ["max_attempts = 2", "max_attempts = 1.5", "steps[0].max_attempts is not a whole number"],
  ["timeout_minutes = 1.5", "timeout_minutes = inf", "steps[0].timeout_minutes is not a number"],
  ['on_reject = "write"', 'on_reject = "later"', "steps[1].on_reject is not the name"],
  ['id = "docs"', "id = ", "the file is not valid TOML"],
  ["[variables.tone]", `a = ${"[".repeat(5000)}`, "the file is not valid TOML"],
] as const)("refuses %j written as %j, naming the key", ([right, wrong, message]) => {
  expect(WRITTEN).toContain(right);
  const act = () => parseTemplate(WRITTEN.replace(right, wrong));
  expect(act).toThrow(expect.objectContaining({ code: "ERR_TEMPLATE" }));
  expect(act).toThrow(message);
});

test("refuses a template without steps, and one with an ai step that asks nothing", () => {
  const [head = ""] = WRITTEN.split("[[steps]]");
  expect(() => parseTemplate(head)).toThrow("steps is not there");
  expect(() => parseTemplate(`${head}[[steps]]\nname = "a"\ntype = "ai"`)).toThrow(
    "steps[0].prompt is not there",
  );
});

test("puts up with any text", () => {
  assert(
    property(string({ unit: "binary" }), (text) => {
      try {
        parseTemplate(text);
      } catch (error) {
        expect(error).toMatchObject({ name: "TasksError", code: "ERR_TEMPLATE" });
      }
    }),
    { numRuns: 40 },
  );
});

function aTemplate(change: Partial<Template> = {}): Template {
  return { ...parseTemplate(WRITTEN), ...change };
}
