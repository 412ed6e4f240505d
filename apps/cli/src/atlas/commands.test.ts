import { HOOK_MD_COMMANDS } from "@quasar/hookfile/hook-md";
import type { Command } from "commander";
import { expect, test } from "vitest";
import type { Given } from "./command.ts";
import { COMMANDS, FAMILIES } from "./commands.ts";
import { createProgram } from "./program.ts";

/** What a command line asks for: the command, its arguments, what is given. */
async function parsed(
  line: string,
): Promise<readonly [string, readonly unknown[], Partial<Given>]> {
  const words = [...line.matchAll(/"([^"]*)"|\S+/gu)].map(([word, quoted]) => quoted ?? word);
  let seen: readonly [string, readonly unknown[], Partial<Given>] | undefined;
  const commands = COMMANDS.map((spec) => ({
    ...spec,
    run: async (args: readonly unknown[], all: Given) => {
      const isGiven = ([key, value]: [string, unknown]): boolean =>
        key !== "typed" && (key !== "flags" || Object.keys(value as object).length > 0);
      seen = [spec.name, args, Object.fromEntries(Object.entries(all).filter(isGiven))];
      return 0 as const;
    },
  }));
  await createProgram("1.2.3", () => {}, commands).parseAsync(words.slice(1), { from: "user" });
  if (seen === undefined) throw new Error(`${line} names no command`);
  return seen;
}

const OF_HOOK_MD: Readonly<
  Record<keyof typeof HOOK_MD_COMMANDS, readonly [name: string, given: Partial<Given>]>
> = {
  resume: ["resume", {}],
  validate: ["validate", {}],
  stepDone: ["step done", { summary: "what you did" }],
  approve: ["approve", {}],
  reject: ["reject", { feedback: "what is wrong" }],
  rejectFinal: ["reject", { final: true }],
  retry: ["retry", {}],
  skip: ["skip", { reason: "why" }],
  recover: ["recover", {}],
  status: ["status", {}],
  abandon: ["abandon", {}],
  context: ["hook context", {}],
  checkpoints: ["hook checkpoints", {}],
  export: ["hook export", { format: "json" }],
  acknowledge: ["hook acknowledge", {}],
};

// SPEC.md, statements 203.
test.for(Object.entries(OF_HOOK_MD))(
  "the command that HOOK.md gives for %s is a command of atlas",
  async ([key, [name, given]]) => {
    const line = HOOK_MD_COMMANDS[key as keyof typeof HOOK_MD_COMMANDS];
    const [seen, , said] = await parsed(line);
    expect([seen, said]).toEqual([name, given]);
  },
);

// SPEC.md, statements 186-198.
test.for([
  ["atlas hook status", "hook status", [undefined], {}],
  ['atlas checkpoint "nil checks are in"', "checkpoint", ["nil checks are in"], {}],
  [
    'atlas checkpoint --trigger git_commit --auto "Commit: message"',
    "checkpoint",
    ["Commit: message"],
    { trigger: "git_commit", auto: true },
  ],
  [
    "atlas checkpoint --trigger git_commit --auto -- -v",
    "checkpoint",
    ["-v"],
    { trigger: "git_commit", auto: true },
  ],
  ["atlas hook regenerate", "hook regenerate", [undefined], {}],
  ["atlas hook verify-receipt rcpt-001", "hook verify-receipt", ["rcpt-001"], {}],
  ["atlas hook export --format json", "hook export", [undefined], { format: "json" }],
  ["atlas hook checkpoints", "hook checkpoints", [undefined], {}],
  ["atlas cleanup --hooks", "cleanup", [], { hooks: true }],
  [
    "atlas cleanup --hooks --retention 7d --dry-run",
    "cleanup",
    [],
    { hooks: true, retention: "7d", dryRun: true },
  ],
  [
    'atlas start "task description" --template bugfix',
    "start",
    ["task description"],
    { flags: { template: "bugfix" } },
  ],
  ["atlas resume", "resume", [undefined], {}],
  ["atlas status", "status", [undefined], {}],
  ["atlas abandon", "abandon", [undefined], {}],
  ["atlas workspace destroy my-workspace", "workspace destroy", ["my-workspace"], {}],
] as const)("the seed's own line is understood: %s", async ([line, ...seen]) => {
  expect(await parsed(line)).toEqual(seen);
});

test("a repeated flag takes one value each time, and leaves the task alone", async () => {
  const line = 'atlas start --var a=1 --var b=2 --validate "npm test" --validate lint "fix it"';
  const [, args, given] = await parsed(line);
  expect(args).toEqual(["fix it"]);
  expect(given.var).toEqual(["a=1", "b=2"]);
  expect(given.flags).toEqual({ validationCommands: ["npm test", "lint"] });
});

test("every command has examples, which are command lines of that very command", async () => {
  for (const { name, examples } of COMMANDS) {
    expect(examples.length, name).toBeGreaterThan(0);
    for (const [typed] of examples) {
      const [line = ""] = typed.split(/ [|>] /u);
      const [seen] = await parsed(line);
      expect(seen, typed).toBe(name);
    }
  }
});

test("every help fits a terminal of 80 columns, and breaks no line where it is not full", () => {
  const help = (command: Command): string => {
    let text = "";
    command.configureOutput({ writeOut: (said) => void (text += said), getOutHelpWidth: () => 80 });
    command.outputHelp();
    return text + command.commands.map(help).join("");
  };
  const text = help(createProgram("0.0.0", () => {}));
  expect(text).toContain("Usage: atlas hook verify-receipt");
  const lines = text.split("\n");
  expect(lines.filter((line) => line.length > 80)).toEqual([]);
  const isBroken = (line: string, n: number): boolean =>
    /^[a-z]\S*$/u.test(line) && lines[n + 1] !== "";
  expect(lines.filter(isBroken)).toEqual([]);
});

test("a command stands in a group of the help, or in a family that does", () => {
  for (const { name, group, isUnlisted = false } of COMMANDS) {
    if (isUnlisted) continue;
    const [family = ""] = name.split(" ");
    expect(group ?? FAMILIES[family]?.group, name).toBeDefined();
  }
});

test.for(["atlas start fix the login form", "atlas hook nonsense", "atlas skip --because x"])(
  "an unknown command is refused: %s",
  async (line) => {
    await expect(parsed(line)).rejects.toMatchObject({ name: "CommanderError" });
  },
);
