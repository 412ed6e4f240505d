import { expect, test } from "vitest";
import { atCursor } from "../shared/completion/at-cursor.ts";
import { linesAt } from "../shared/completion/complete.ts";
import { ATLAS } from "./complete.ts";
import { COMMANDS, FAMILIES } from "./commands.ts";

async function offered(...words: readonly string[]): Promise<readonly string[]> {
  return (await linesAt(ATLAS, words)).map((line) => line.split("\t")[0] ?? "");
}

test("a family is offered once, with its own words, and after it its commands", async () => {
  const lines = await linesAt(ATLAS, [""]);
  expect(lines.filter((line) => line.startsWith("hook"))).toEqual([
    `hook\t${FAMILIES["hook"]?.summary}`,
  ]);
  expect(await linesAt(ATLAS, ["workspace", ""])).toEqual([
    "list\tlist the workspaces and their tasks",
    "close\tremove a workspace's work tree; branch and tasks stay",
    "destroy\tremove a workspace with its work tree, branch and tasks",
  ]);
});

test.for([
  [["hook", "-"], ["--help"]],
  [
    ["help", "keys", ""],
    ["status", "init", "rotate", "export", "backup"],
  ],
  [
    ["hook", "status", "-"],
    ["--json", "--help"],
  ],
  [["hook", "nonsense", ""], []],
  [
    ["start", "--git-hooks", ""],
    ["auto", "print", "off"],
  ],
  [["start", ""], []],
  [["keys", "backup", ""], [":files"]],
  [["verify", "--receipts", ""], [":files"]],
  [["verify", "--key="], [":files"]],
  [
    ["hook", "export", "--format", ""],
    ["json", "md"],
  ],
  [
    ["keys", "export", "--format="],
    ["ssh", "allowed-signers", "pem", "minisign"].map((word) => `--format=${word}`),
  ],
] as const)("after %j it offers %j", async ([words, texts]) => {
  expect(await offered(...words)).toEqual(texts);
});

test.for([
  [["resume", ""], "task"],
  [["hook", "context", ""], undefined],
  [["hook", "status", ""], "task"],
  [["checkpoint", "--task", ""], "task"],
  [["start", "--from-task", ""], "task"],
  [["start", "--template", ""], "--template"],
  [["templates", ""], "templates name"],
  [["workspace", "close", ""], "workspace close name"],
  [["verify", ""], "task-or-commit"],
  [["show", ""], "show task"],
  [["show", "my-task", ""], "turn"],
] as const)("after %j it looks for a %s", ([words, name]) => {
  const values = name === undefined ? [] : ATLAS.values[name];
  expect(atCursor(ATLAS, words).values).toEqual(values);
});

test("words of a closed choice are those that the flag's help names", () => {
  const words = (name: string): readonly string[] =>
    (ATLAS.values[name] as readonly (readonly string[])[]).map(([word = ""]) => word);
  const helpOf = (name: string): string =>
    COMMANDS.find((each) => each.name === name)?.options?.find(([typed]) =>
      typed.includes("<format>"),
    )?.[1] ?? "";
  for (const name of ["hook export", "keys export"]) {
    for (const word of words(`${name} --format`)) expect(helpOf(name)).toContain(word);
  }
});

test("every name in the table of values is one of a command or a flag", () => {
  const typed = COMMANDS.flatMap(({ name, args = [], options = [] }) =>
    [...args, ...options].flatMap(([text]) => {
      const [, placeholder = ""] = /[<[]([^\]>.]+)/u.exec(text) ?? [];
      const [flag = ""] = text.split(" ");
      return [placeholder, `${name} ${placeholder}`, `${name} ${flag}`];
    }),
  );
  const known = new Set([...typed, "--template", "agent"]);
  expect(Object.keys(ATLAS.values).filter((name) => !known.has(name))).toEqual([]);
});
