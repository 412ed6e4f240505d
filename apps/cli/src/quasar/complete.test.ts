import { AGENT_PRESETS } from "@quasar/agents/presets";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { atCursor } from "../shared/completion/at-cursor.ts";
import { linesAt } from "../shared/completion/complete.ts";
import { QUASAR } from "./complete.ts";
import { COMMANDS as ALL, FAMILIES } from "./commands.ts";

const COMMANDS = ALL.filter(({ isUnlisted }) => isUnlisted !== true);
/** Commands and families, in the order of the help. */
const LISTED = [
  ...new Map(
    COMMANDS.map(({ name, summary }) => {
      const [family = "", own] = name.split(" ");
      return [family, own === undefined ? summary : FAMILIES[family]?.summary] as const;
    }),
  ),
];
const NAMES = LISTED.map(([name]) => name);
const AGENTS = AGENT_PRESETS.map(({ name }) => name);

// A developer may have agents of their own.
beforeAll(() => void vi.stubEnv("XDG_CONFIG_HOME", "/nowhere"));
afterAll(() => void vi.unstubAllEnvs());

/** What is offered after some words, each without what it is. */
async function offered(...words: readonly string[]): Promise<readonly string[]> {
  return (await linesAt(QUASAR, words)).map((line) => line.split("\t")[0] ?? "");
}

test("every command is offered as the help lists it, and complete is not", async () => {
  expect(await linesAt(QUASAR, [""])).toEqual([
    ...LISTED.map(([name, summary]) => `${name}\t${summary}`),
    "help\tshow help for a command",
  ]);
});

test.for([
  [["-"], ["--version", "--help"]],
  [["help", ""], NAMES],
  [["help", "run", ""], []],
  [
    ["--version", ""],
    [...NAMES, "help"],
  ],
  [["nonsense", ""], []],
  [[], [...NAMES, "help"]],
  [
    ["nebula", ""],
    COMMANDS.flatMap(({ name }) => (name.startsWith("nebula ") ? [name.slice(7)] : [])),
  ],
  [["nebula", "plan", ""], [":files"]],
  [
    ["nebula", "validate", "x", "-"],
    ["--strict-config", "--schema", "--json", "--help"],
  ],
  [
    ["ls", "-"],
    ["--all", "--json", "--help"],
  ],
  [
    ["ls", "--all", "-"],
    ["--json", "--help"],
  ],
  [["ls", ""], []],
  [["run", ""], []],
  [["run", "--coder", ""], AGENTS],
  [["run", "--coder="], AGENTS.map((name) => `--coder=${name}`)],
  [["run", "--coder", "claude", "--reviewer=co"], AGENTS.map((name) => `--reviewer=${name}`)],
  [
    ["run", "--sandbox", ""],
    ["read-only", "workspace-write", "danger-full-access"],
  ],
  [
    ["resume", "--commit-style", "p"],
    ["auto", "conventional", "plain", "seed"],
  ],
  [["run", "--max-cycles", ""], []],
  [["run", "--leash=", ""], []],
  [["run", "--file", ""], [":files"]],
  [["run", "-f", "a"], [":files"]],
  [["run", "--file=a"], [":files"]],
  [["run", "--file", "--coder", ""], []],
  [["run", "--", "-"], []],
  [["run", "--nonsense=", ""], []],
  [
    ["completion", ""],
    ["bash", "zsh", "fish"],
  ],
  [
    ["completion", '"'],
    ["bash", "zsh", "fish"],
  ],
] as const)("after %j it offers %j", async ([words, texts]) => {
  expect(await offered(...words)).toEqual(texts);
});

test("flags have the help's words, and one that may be repeated is offered again", async () => {
  const flags = await linesAt(QUASAR, ["run", "--lint", "a", "--coder=codex", "-"]);
  expect(flags).toContain("--file\tread the task from a file");
  expect(flags).toContain("--json\tmachine-readable output on standard output");
  expect(flags).toContain("--reviewer\tthe agent that reviews, same choice");
  const names = flags.map((line) => line.split("\t")[0]);
  expect(names).toContain("--lint");
  expect(names).not.toContain("--coder");
});

test.for([
  [["show", ""], "run or turn", "", ""],
  [["resume", "2026"], "run", "", "2026"],
  [["resume", "--max-cycles", "5", "--plan", ""], "run", "", ""],
  [["resume", "--", ""], "run", "", ""],
  [["restore", "2", "--run", ""], "run", "", ""],
  [["restore", "--run=2026"], "run", "--run=", "2026"],
  [["nebula", "status", "a"], "nebula", "", "a"],
  [["nebula", "show", ""], "nebula or phase", "", ""],
  [["nebula", "show", "demo", ""], "phase", "", ""],
  [["nebula", "diff", "--nebula", ""], "nebula", "", ""],
] as const)("after %j it looks for a %s", ([words, name, before, typed]) => {
  const values = QUASAR.values[name];
  expect(values).toBeTypeOf("function");
  expect(atCursor(QUASAR, words)).toMatchObject({ values, before, typed });
});

test("one argument is all that a command takes", async () => {
  expect(await offered("show", "20261121-101500-7f3a9c", "")).toEqual([]);
});

test("what is found is cleaned, and a name that a shell could take for something else is left out", async () => {
  const run = () =>
    Promise.resolve([
      ["fine", "title\u001b[31m\nand\tmore"],
      ["$(true)", "harmless: a shell quotes it"],
      ["two\nlines", ""],
      ["a\ttab", ""],
      ["\u001b[31mred", ""],
      [":files", ""],
      [" ", ""],
      ["", ""],
    ] as const);
  expect(await linesAt({ ...QUASAR, values: { run } }, ["log", ""])).toEqual([
    "fine\ttitle\\u{1b}[31m and more",
    "$(true)\tharmless: a shell quotes it",
  ]);
});

test("every name in the table of values is one of a command or a flag", () => {
  const settings = Object.values(QUASAR.settings).map(({ kind }) => [kind.placeholder]);
  const given = COMMANDS.flatMap(({ args = [], options = [] }) => [...args, ...options]);
  const typed = [...given, ...settings];
  for (const name of Object.keys(QUASAR.values)) {
    expect(
      typed.filter(([text = ""]) => new RegExp(`[<[]${name}(?:\\.{3})?[\\]>]`, "u").test(text)),
    ).not.toEqual([]);
  }
});
