import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { ToolCall } from "./event.ts";
import { createToolCalls } from "./tools.ts";
import { choiceOf, denialOfCall, mayUse, type PermissionRules } from "./permission.ts";

const CODER: PermissionRules = {
  access: "write",
  workTree: "/work",
  allowed: ["Bash(npm test)", "Bash(npm test *)"],
  titleIsCommand: false,
};
const REVIEWER: PermissionRules = { ...CODER, access: "read", allowed: [] };

const call = (change: Omit<ToolCall, "toolCallId">): ToolCall => ({ toolCallId: "t", ...change });
const runs = (command: string) => call({ kind: "execute", rawInput: { command } });
const edits = (...paths: string[]) =>
  call({ kind: "edit", locations: paths.map((path) => ({ path })) });

test.for([
  ["read", call({ kind: "read" }), true, true],
  ["search", call({ kind: "search" }), true, true],
  ["think", call({ kind: "think" }), true, true],
  ["read by a command", call({ kind: "read", rawInput: { command: "rm -rf ." } }), false, false],
  ["think by a script", call({ kind: "think", rawInput: { script: "rm -rf ." } }), false, false],
  [
    "read what it changes",
    call({ kind: "read", content: [{ type: "diff", path: "/etc/passwd" }] }),
    ...([false, false] as const),
  ],
  ["fetch", call({ kind: "fetch" }), false, false],
  ["edit in a home", edits("~/.bashrc"), false, false],
  ["edit by an address", edits("file:///etc/passwd"), false, false],
  [
    "move it out of the work tree",
    call({ kind: "move", rawInput: { path: "/work/a", destination: "/etc/a" } }),
    ...([false, false] as const),
  ],
  [
    "edit several, one of them elsewhere",
    call({ kind: "edit", rawInput: { path: "/work/a", edits: [{ path: "/etc/passwd" }] } }),
    ...([false, false] as const),
  ],
  [
    "run what only reads, with variables",
    call({ kind: "execute", rawInput: { command: "git log", env: { GIT_PAGER: "x" } } }),
    ...([false, false] as const),
  ],
  [
    "run what only reads, elsewhere",
    call({ kind: "execute", rawInput: { command: "cat a", cwd: "/elsewhere" } }),
    ...([false, false] as const),
  ],
  [
    "run two things as one",
    call({ kind: "execute", rawInput: { command: "ls", commands: ["ls", "rm a"] } }),
    ...([false, false] as const),
  ],
  ["switch its mode", call({ kind: "switch_mode" }), false, false],
  ["use what has no kind", call({}), false, false],
  ["use what has an unknown kind", call({ kind: "teleport" }), false, false],
  ["edit in the work tree", edits("/work/a.txt", "b/c.txt"), true, false],
  ["edit it beside another", edits("/work/a.txt", "/elsewhere/a.txt"), false, false],
  ["edit outside", edits("/work/../a.txt"), false, false],
  ["edit a neighbour of the work tree", edits("/work-2/a.txt"), false, false],
  ["edit what git has", edits("/work/.git/hooks/pre-commit"), false, false],
  ["edit what git has, in other letters", edits("/work/.Git/config"), false, false],
  ["edit what git has in a submodule", edits("/work/sub/.git"), false, false],
  ["edit what has no name", edits(), false, false],
  ["delete in the work tree", call({ ...edits("/work/a"), kind: "delete" }), true, false],
  ["move to the outside", call({ ...edits("/work/a", "/b"), kind: "move" }), false, false],
  [
    "edit what its input names",
    call({
      kind: "edit",
      rawInput: { file_path: "/etc/passwd" },
      locations: [{ path: "/work/a" }],
    }),
    false,
    false,
  ],
  ["run what only reads", runs("cd src && git diff --stat | head -5"), true, true],
  ["run what a person named", runs("npm test"), true, false],
  ["run that with more", runs("npm test -- --run a.test.ts"), true, false],
  ["run that after reading", runs("cd src && npm test 2>&1 | tail -20"), true, false],
  ["run that and something else", runs("npm test && npm publish"), false, false],
  ["run what begins like it", runs("npm tests"), false, false],
  ["run that with a substitution", runs("npm test $(rm -rf /)"), false, false],
  ["run that into a file", runs("npm test > /etc/passwd"), false, false],
  ["run that in the background", runs("npm test & rm -rf /"), false, false],
  ["make folders", runs("mkdir -p src/totals test"), true, false],
  ["make a folder by its whole path", runs("mkdir /work/src"), true, false],
  ["make a folder elsewhere", runs("mkdir -p src ../other"), false, false],
  ["make a folder of git's", runs("mkdir -p .git/hooks"), false, false],
  ["make a folder with a mode", runs("mkdir -m 777 src"), false, false],
  ["make a folder and something else", runs("mkdir src; rm -rf /"), false, false],
  ["make a folder that a shell names", runs("mkdir $HOME/src"), false, false],
  ["run something on a new line", runs("npm test\nrm -rf /"), false, false],
  ["run what is not told", call({ kind: "execute", title: "git status" }), false, false],
] as const)("to %s", ([, asked, coder, reviewer]) => {
  expect(mayUse(asked, CODER)).toBe(coder);
  expect(mayUse(asked, REVIEWER)).toBe(reviewer);
});

test.for([
  ["Bash", runs("rm -rf $HOME"), true],
  ["Bash(make:*)", runs("make all"), true],
  ["Bash(make)", runs("make all"), false],
  ["Bash(CI=1 make *)", runs("make"), false],
  ["fetch", call({ kind: "fetch" }), true],
  ["Edit", edits("/elsewhere"), true],
  ["other", call({}), true],
  ["other", call({ kind: "fetch" }), false],
] as const)("by %s of a person", ([rule, asked, expected]) => {
  expect(mayUse(asked, { ...CODER, allowed: [rule] })).toBe(expected);
  expect(mayUse(asked, { ...REVIEWER, allowed: [rule] })).toBe(false);
});

test.for([
  ["git status", true],
  ["git status [in src] (Looks what has changed)", true],
  ["git status (Looks what has changed)", true],
  ["git status; (touch a)", false],
  ["git status && (touch a)", false],
  ["git status | (touch a)", false],
  ["git status (a)\ntouch a (b)", false],
  ["touch a (git status)", false],
  ["git log --format='%h (%s)'", true],
] as const)("takes the title %j for a command where it is one", ([title, expected]) => {
  const asked = call({ kind: "execute", title });
  expect(mayUse(asked, { ...REVIEWER, titleIsCommand: true })).toBe(expected);
});

const OPTIONS = [
  { optionId: "always", kind: "allow_always" },
  { optionId: "once", kind: "allow_once" },
  { optionId: "never", kind: "reject_always" },
  { optionId: "no", kind: "reject_once" },
];

test("allows once and rejects once, and nothing for ever that it allows", () => {
  expect(choiceOf(true, OPTIONS)).toBe("once");
  expect(choiceOf(false, OPTIONS)).toBe("no");
  expect(choiceOf(false, OPTIONS.slice(0, 3))).toBe("never");
  expect(choiceOf(true, [OPTIONS[0] ?? { optionId: "", kind: undefined }])).toBeUndefined();
  expect(choiceOf(false, OPTIONS.slice(0, 2))).toBeUndefined();
});

test.for([
  [runs("npm run lint && rm a"), "npm run lint && rm a", ["Bash(npm run lint *)", "Bash(rm a *)"]],
  [call({ kind: "execute", title: "Lists files" }), "Lists files", ["Bash"]],
  [edits("/etc/passwd"), "edit /etc/passwd", ["edit"]],
  [call({ kind: "fetch", title: "https://a" }), "fetch https://a", ["fetch"]],
  [call({ title: "Ask\u001b[2J" }), "other Ask", ["other"]],
] as const)("names what it denied", ([asked, what, allow]) => {
  expect(denialOfCall(asked, CODER)).toEqual({ what, allow });
  expect(denialOfCall(asked, REVIEWER)).toEqual({ what, allow: [] });
});

test("a link in the work tree leads to where it leads", () => {
  const root = mkdtempSync(join(tmpdir(), "quasar-links-"));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const workTree = join(root, "work");
  mkdirSync(join(workTree, ".git", "hooks"), { recursive: true });
  mkdirSync(join(workTree, "src"));
  symlinkSync(".git", join(workTree, "g"));
  symlinkSync(root, join(workTree, "o"));
  symlinkSync("src", join(workTree, "s"));
  const may = (path: string): boolean => mayUse(edits(path), { ...CODER, workTree });
  expect([may("g/hooks/pre-commit"), may("o/x"), may("s/new/x")]).toEqual([false, false, true]);
});

test("what was announced as a command is none of another kind later", () => {
  const calls = createToolCalls();
  calls.merge(call({ kind: "execute", title: "rm -rf /", status: "pending" }));
  const asked = calls.merge(call({ kind: "read", status: "pending" }));
  expect(mayUse(asked, REVIEWER)).toBe(false);
});
