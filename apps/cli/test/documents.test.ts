import { existsSync, readFileSync } from "node:fs";
import { HOOK_STATES } from "@quasar/hookfile";
import { CHECKPOINT_TRIGGERS } from "@quasar/hookfile/checkpoints";
import type { Command } from "commander";
import { expect, test } from "vitest";
import { EXIT_CODES } from "../src/atlas/commands.ts";
import { createProgram } from "../src/atlas/program.ts";
import { createProgram as createQuasar } from "../src/quasar/program.ts";
import { ATLAS_EXIT } from "../src/shared/exit-codes.ts";

const ROOT = new URL("../../../", import.meta.url);
const DOCUMENTS = [
  "README.md",
  "docs/quick-start.md",
  "docs/hook-files.md",
  "docs/walk-through.md",
  "apps/cli/README.md",
  "packages/tasks/README.md",
  "packages/tasks/SPEC.md",
  "packages/hookfile/SPEC.md",
];

/** Pages that name commands of `quasar`. */
const OF_QUASAR = ["README.md", "docs/nebula.md", "docs/agents.md"];

const program = createProgram("1.0.0", () => {});
const quasar = createQuasar("1.0.0", () => {});

const FENCE = /^(`{3,})([a-z]*)\n([^]*?)^\1$/gmu;

/** A line that stands for any command. */
const PLACEHOLDER = /^[a-z]+ <command>/u;

/** Command lines of a program that a document gives: in code spans, and typed in fences. */
function linesOf(text: string, name: string): readonly string[] {
  const typed = [...text.matchAll(FENCE)].flatMap(([, , language, body = ""]) => {
    const prompt = language === "console" ? "\\$ " : "";
    const line = new RegExp(`^${prompt}(${name} .*)$`, "gmu");
    return [...body.matchAll(line)].map(([, found = ""]) => found);
  });
  const spans = [
    ...text.replaceAll(FENCE, "").matchAll(new RegExp(`\`(${name} [^\`\\n]+)\``, "gu")),
  ];
  const all = [...typed, ...spans.map(([, line = ""]) => line)];
  return all.filter((line) => !PLACEHOLDER.test(line));
}

/** What a line names that the help does not; what is quoted, piped on or remarked is left out. */
function unknownIn(line: string, program: Command): readonly string[] {
  const [plain = ""] = line.replaceAll(/"[^"]*"|'[^']*'/gu, "…").split(/ #| \|| >|;/u);
  const words = plain.trim().split(/\s+/u).slice(1);
  let command: Command = program;
  let names = 0;
  for (const word of words) {
    const next = command.commands.find((one) => one.name() === word);
    if (next === undefined) break;
    command = next;
    names += 1;
  }
  const help = command.helpInformation();
  const flags = words.filter((word) => /^--[a-z]/u.test(word));
  const isNone = command.commands.length > 0 && words.length - flags.length > names;
  return [
    ...(isNone ? [line] : []),
    ...flags.filter((flag) => !new RegExp(`${flag}(?![a-z-])`, "u").test(help)),
  ];
}

test.for([
  ...DOCUMENTS.map((path) => [path, "atlas", program] as const),
  ...OF_QUASAR.map((path) => [path, "quasar", quasar] as const),
])(
  "%s names only commands of %s that there are, with flags that they have",
  ([path, name, ofName]) => {
    const lines = linesOf(readFileSync(new URL(path, ROOT), "utf8"), name);
    expect(lines.length).toBeGreaterThan(0);
    const unknown = lines.flatMap((line) =>
      unknownIn(line, ofName).map((what) => `${what}, in: ${line}`),
    );
    expect(unknown).toEqual([]);
  },
);

test.for([
  ["atlas hook statuses", 1],
  ["atlas tidy --hooks", 2],
  ['atlas start "x" --templates bugfix', 1],
  ["atlas hook", 0],
  ["atlas hook context", 0],
] as const)("the check of documents finds in %s what there is not: %i", ([line, count]) => {
  expect(unknownIn(line, program)).toHaveLength(count);
});

const read = (path: string): string => readFileSync(new URL(path, ROOT), "utf8");

// SPEC.md, statements 227.
test.for([
  "## Hook Files",
  "### `atlas hook`",
  "### `atlas checkpoint`",
  "### Checkpoint triggers and configuration",
  "### States",
  "### File structure",
  "### Troubleshooting",
  "### Key setup",
])("the quick start has the section %s", (heading) => {
  expect(read("docs/quick-start.md").split("\n")).toContain(heading);
});

// SPEC.md, statements 227.
test("the quick start has every state, every trigger and every command of atlas hook", () => {
  const text = read("docs/quick-start.md");
  const hook = program.commands.find((one) => one.name() === "hook")?.commands ?? [];
  const named = [...HOOK_STATES, ...CHECKPOINT_TRIGGERS].map((name) => `\`${name}\``);
  for (const name of [...named, ...hook.map((one) => `\`atlas hook ${one.name()}`)]) {
    expect(text).toContain(name);
  }
});

// SPEC.md, statements 228, 229.
test("hook files have a page of their own, and a summary in the README, which leads there", () => {
  expect(read("docs/hook-files.md")).toMatch(/^# Hook files, in depth$/mu);
  const readme = read("README.md");
  expect(readme).toMatch(/\*\*Hook files\*\*/u);
  for (const page of ["quick-start", "walk-through", "hook-files"]) {
    expect(readme).toContain(`](docs/${page}.md)`);
  }
});

test.for([...DOCUMENTS, "docs/nebula.md"])(
  "every page and heading of this repository that %s links to exists",
  (path) => {
    const here = new URL(path, ROOT);
    const links = read(path).matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]*))?\)/gu);
    const dead = [...links].filter(([, page = "", heading]) => {
      const file = page === "" ? here : new URL(page, here);
      return (
        !existsSync(file) ||
        (heading !== undefined && !anchorsOf(readFileSync(file, "utf8")).includes(heading))
      );
    });
    expect(dead.map(([link]) => link)).toEqual([]);
  },
);

/** As GitHub makes them of headings. */
function anchorsOf(text: string): readonly string[] {
  return [...text.matchAll(/^#+ (.*)$/gmu)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-"),
  );
}

// SPEC.md, statements 204.
test("every command of atlas speaks JSON too, and the help has every exit code", () => {
  const leaves = (command: Command): readonly Command[] =>
    command.commands.length === 0 ? [command] : command.commands.flatMap(leaves);
  for (const command of leaves(program)) {
    expect(command.helpInformation(), command.name()).toContain("--json");
  }
  const [, codes = ""] = EXIT_CODES.split("Exit codes:");
  const told = [...codes.matchAll(/\b\d+\b/gu)].map(([code]) => Number(code));
  expect(told.toSorted((a, b) => a - b)).toEqual(
    Object.values<number>(ATLAS_EXIT).toSorted((a, b) => a - b),
  );
});
