import { existsSync, lstatSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { AGENT_PRESETS } from "@quasar/agents/presets";
import { listTasks } from "@quasar/tasks";
import { expect, test } from "vitest";
import { atlas, atlasPlace, waiting } from "./atlas/harness.ts";
import { emptyPlace, lastRecord, type Place, place, quasar } from "./harness.ts";
import { agents, APPROVAL } from "./scripts.ts";
import { offeredByBash, offeredByFish, shown, type ShellPlace, withShells } from "./shells.ts";

/** Whatever a shell, its completion or a terminal could act on. */
const HOSTILE = `Say $(touch pwned) \`touch pwned\` "it's" %F{red} \u001b[31mred\ta:b\\; touch pwned`;
const SAID = `approved: Say $(touch pwned) \`touch pwned\` "it's" %F{red} \\u{1b}[31mred a:b\\;`;

const AGENTS = AGENT_PRESETS.map(({ name }) => name);

/** A run that is approved at once. */
async function done(at: Place, task: string, text: string): Promise<string> {
  const turns = [
    { role: "coder", text: "Written.", files: { "work.txt": text } },
    { role: "reviewer", text: APPROVAL },
  ] as const;
  const run = await quasar(at, ["run", task, "--json", ...agents(at, turns)]);
  expect(run.code, run.stderr).toBe(0);
  return String(lastRecord(run)["runId"]);
}

/** Two runs, of which the older has a hostile task. */
async function withRuns(): Promise<
  ShellPlace & { readonly older: string; readonly newer: string }
> {
  const at = withShells(place());
  const older = await done(at, `${HOSTILE}\nand more`, "one\n");
  const newer = await done(at, "Write more", "two\n");
  return { ...at, older, newer };
}

/** Nothing was run, and nothing of it reached the terminal as it was. */
function expectHarmless(at: Place, text: string): void {
  expect(existsSync(join(at.repo, "pwned"))).toBe(false);
  expect(text).not.toContain("\u001b[31m");
}

test("bash completes both commands in one shell, and shows in a list what each is", async () => {
  const at = await withRuns();
  const { older, newer } = at;
  expect(offeredByBash(at, ["quasar", "re"])).toEqual(["resume", "report", "restore"]);
  expect(offeredByBash(at, ["quasar", "run", "--co"])).toEqual([
    "--coder",
    "--coder-model",
    "--commit-style",
  ]);
  expect(offeredByBash(at, ["quasar", "run", "--coder", "=", "cl"])).toEqual(["claude"]);
  expect(offeredByBash(at, ["quasar", "show", ""])).toEqual([newer, older, "1", "2"]);
  expect(offeredByBash(at, ["quasar", "show", `${older}.`])).toEqual([`${older}.1`, `${older}.2`]);
  expect(offeredByBash(at, ["quasar", "show", "$(touch pwned)"])).toEqual([]);
  expect(offeredByBash(at, ["quasar", "run", "`touch pwned`", "--reviewer", ""])).toEqual(AGENTS);
  expect(offeredByBash(at, ["atlas", "hook", "ex"])).toEqual(["export"]);
  const list = offeredByBash(
    { ...at, env: { ...at.env, COLUMNS: "120" } },
    ["quasar", "log", ""],
    63,
  );
  expect(list).toEqual([
    `${newer}  approved: Write more`,
    expect.stringContaining(`${older}  ${SAID}`),
  ]);
  expectHarmless(at, list.join());
});

test("fish completes both commands, each script loaded by itself", async () => {
  const at = await withRuns();
  const { older, newer } = at;
  expect(offeredByFish(at, "quasar re")).toEqual([
    "resume\tresume an interrupted run",
    "report\twrite what a run or a nebula came to, as Markdown or as a page",
    "restore\trestore a snapshot",
  ]);
  const flags = offeredByFish(at, "quasar run --co").map((line) => line.split("\t")[0]);
  expect(flags).toEqual(["--coder", "--coder-model", "--commit-style"]);
  expect(offeredByFish(at, "quasar run --coder=cl")).toEqual(["--coder=claude\tClaude Code"]);
  const found = offeredByFish(at, "quasar show ");
  expect(found).toEqual([
    `${newer}\tapproved: Write more`,
    expect.stringContaining(`${older}\t${SAID}`),
    "1\tcoder, cycle 1, done",
    "2\treviewer, cycle 1, done",
  ]);
  expect(offeredByFish(at, "quasar show (touch pwned)")).toEqual([]);
  expect(offeredByFish(at, "quasar run (touch pwned) --reviewer ")).toEqual(
    AGENT_PRESETS.map(({ name, title }) => `${name}\t${title}`),
  );
  expect(offeredByFish(at, "atlas hook ex")).toEqual([
    "export\tprint all that is on record of a task",
  ]);
  expectHarmless(at, found.join());
});

test("zsh completes both commands, each script loaded by itself", async () => {
  const at = await withRuns();
  const { older, newer } = at;
  const lines = shown("zsh", at, ["quasar res\t", "restore     restore a snapshot"]);
  expect(lines).toContain("resume      resume an interrupted run");
  const flags = shown("zsh", at, ["quasar run --co\t", "--commit-style"]);
  expect(flags).toMatch(/--coder +the agent that writes: .*--coder-model +the coder's model/su);
  shown("zsh", at, ["quasar run --coder=cl\t", "quasar run --coder=claude "]);
  const found = shown("zsh", at, ["quasar show \t", "2                       reviewer"]);
  expect(found).toMatch(
    new RegExp(`${newer}  approved: Write more\\s+${older}  approved: Say`, "u"),
  );
  expect(found).toContain(SAID.slice(0, 60));
  shown("zsh", at, ["quasar log $(touch pwned)\t", "pwned)"], ["\u0015atlas hook ex\t", "export "]);
  expectHarmless(at, found);
});

test.for(["bash", "zsh"] as const)("%s completes names of files where a path belongs", (shell) => {
  const at = withShells(place({ "a task.md": "Write.\n", "b.txt": "" }));
  const last = shown(
    shell,
    at,
    ["quasar run --file a\t", "--file a\\ task.md "],
    ["\u0015quasar run --file=a\t", "--file=a\\ task.md "],
    ["\u0015atlas keys backup b\t", "b.txt "],
  );
  expect(last).toContain("atlas keys backup b.txt ");
});

test("fish completes names of files where a path belongs, and nowhere else", () => {
  const at = withShells(place({ "a task.md": "Write.\n", "b.txt": "" }));
  expect(offeredByFish(at, "quasar run --file a")).toEqual(["a task.md"]);
  expect(offeredByFish(at, "quasar run --file=a")).toEqual(["--file=a task.md"]);
  expect(offeredByFish(at, "quasar ls a")).toEqual([]);
});

test.for(["bash", "zsh"] as const)(
  "%s takes any candidate for a word, whatever is in it",
  (shell) => {
    const at = withShells(place());
    rmSync(join(at.bin, "quasar"));
    const line = "$(touch pwned);\"'b:c\t%F{red}$(touch pwned)";
    writeFileSync(join(at.outside, "line"), `${line}\n`);
    writeFileSync(join(at.bin, "quasar"), "#!/bin/sh\ncat ../line\n", { mode: 0o755 });
    const inserted = "quasar show \\$\\(touch\\ pwned\\)\\;\\\"\\'b:c ";
    const tab = ["quasar show \t", inserted] as const;
    expect(shown(shell, at, tab)).toContain(inserted);
    expectHarmless(at, shown(shell, at, tab, ["\r", "touch pwned"]));
  },
);

/** All below a folder, with the times of their last change. */
function stateOf(folder: string): readonly string[] {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" });
  return names.map((name) => `${name} ${lstatSync(join(folder, name)).mtimeMs}`).toSorted();
}

test("complete only looks: at runs, also damaged ones, and at a folder without any", async () => {
  const at = place();
  const runId = await done(at, "Write", "one\n");
  const dir = join(at.repo, ".git/quasar/runs", runId, "archive");
  for (const name of readdirSync(dir)) writeFileSync(join(dir, name), "?");
  const before = stateOf(at.outside);
  const env = { XDG_CACHE_HOME: "" };
  const said = await quasar(at, ["complete", "--", "show", ""], { env });
  expect(said).toMatchObject({ code: 0, stderr: "" });
  expect(said.stdout).toMatch(new RegExp(`^${runId}\tdamaged: .+\n$`, "u"));
  const none = { code: 0, stdout: "", stderr: "" };
  for (const words of [
    ["show", ""],
    ["show", `${runId}.`],
    ["restore", "1", "--run="],
  ]) {
    const cwd = at.outside;
    expect(await quasar(at, ["complete", "--", ...words], { env, cwd })).toMatchObject(none);
  }
  expect(stateOf(at.outside)).toEqual(before);
});

test("complete gives tasks, workspaces and templates of atlas", async () => {
  const at = atlasPlace();
  await waiting(at);
  const [task] = listTasks(at.home);
  const complete = async (...words: readonly string[]): Promise<readonly string[]> => {
    const { code, stdout, stderr } = await atlas(at, ["complete", "--", ...words]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    return stdout.trimEnd().split("\n");
  };
  const workspace = "fix-null-pointer-in-config";
  const inWorkspace = `${workspace}\tworkspace: active, branch test/${workspace}`;
  expect(await complete("resume", "")).toEqual([
    `${task?.taskId}\tawaiting_human in ${workspace}: fix null pointer in config`,
    inWorkspace,
  ]);
  expect(await complete("hook", "status", "fix-")).toEqual([inWorkspace]);
  expect(await complete("workspace", "close", "")).toEqual([inWorkspace]);
  expect(await complete("start", "--template", "")).toContain("look\tOf a test");
  writeFileSync(join(at.home, "config.toml"), "templates = 7\n");
  const builtIn = await complete("start", "--template=");
  expect(builtIn.map((line) => line.split("\t")[0])).toContain("--template=bugfix");
});

test.for([
  ["a shell that is none of the three", ["tcsh"], "/bin/bash", "there is no completion for tcsh"],
  ["$SHELL being none of the three", [], "/bin/dash", "there is no completion for dash"],
  ["no shell at all", [], "", "no shell is named"],
] as const)("completion refuses %s, and names those three", async ([, args, SHELL, why]) => {
  const refused = await quasar(emptyPlace(), ["completion", ...args], { env: { SHELL } });
  expect(refused).toMatchObject({ code: 2, stdout: "" });
  expect(refused.stderr).toBe(
    `error: ${why}: use bash, zsh or fish\n  next     quasar completion --help\n`,
  );
});

test("completion takes the shell of $SHELL, and --json has the script too", async () => {
  const at = emptyPlace();
  const fish = await quasar(at, ["completion"], { env: { SHELL: "/usr/local/bin/fish" } });
  expect(fish.stdout).toContain("complete -c quasar");
  const json = lastRecord(await quasar(at, ["completion", "fish", "--json"]));
  expect(json).toEqual({
    ...{ v: 1, type: "completion", shell: "fish", script: fish.stdout },
    ...{ exit: 0, next: [] },
  });
});
