import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { lane } from "@quasar/vitest/lane";
import { expect, test } from "vitest";
import { installGitHook } from "../src/git-hook/index.ts";
import { GIT_HOOK_LINE } from "../src/git-hook/script.ts";
import {
  aFolder,
  aRecorder,
  aRepository,
  aSlowRecorder,
  aTask,
  commit,
  eventually,
  git,
  gitWith,
  pause,
  type Recorder,
  script,
} from "./git-fixture.ts";

const CALL = ["checkpoint", "--trigger", "git_commit", "--auto"];

function hookOf(root: string): string {
  return join(root, ".git/hooks/post-commit");
}

/** Installs the git hook for a command that writes down its calls. */
function install(root: string, { command }: Pick<Recorder, "command">) {
  return installGitHook(root, { taskDir: aTask().taskDir, command });
}

function called(atlas: Recorder): Promise<boolean> {
  return eventually(() => atlas.calls().length === 1);
}

function onThePath({ command }: Recorder): { readonly PATH: string } {
  return { PATH: `${join(command[0] ?? "", "..")}:${process.env["PATH"]}` };
}

// SPEC.md, statements 88, 89, 101, 102.
test("a commit calls the command by itself, in the work tree, with nothing of the commit's in its arguments", async () => {
  const root = aRepository();
  const atlas = aRecorder();
  const installed = await install(root, atlas);
  expect(installed).toEqual({ kind: "installed", path: hookOf(root), how: "created" });
  expect(readFileSync(hookOf(root), "utf8").startsWith("#!/bin/sh\n")).toBe(true);
  expect(statSync(hookOf(root)).mode & 0o7777).toBe(0o755);
  commit(root, '-n "$(touch never)"');
  expect(await called(atlas)).toBe(true);
  expect(atlas.calls()).toEqual([[root, ...CALL]]);
});

test.for([
  ["of the simplest kind", "atlas"],
  ["with spaces", "a b/at las"],
  ["with quotes and dollars", 'it\'s "q" $(x) `y` \\'],
  ["with a newline and a dash", "-n\nx"],
] as const)("the command may lie at a path %s, and the repository at any", async ([, folder]) => {
  const root = aRepository(join(aFolder(), "a 'b' \"c\"\n$d"));
  const place = join(aFolder(), folder);
  mkdirSync(place, { recursive: true });
  const atlas = aRecorder("", place);
  await install(root, atlas);
  commit(root, "one");
  expect(await called(atlas)).toBe(true);
  expect(atlas.calls()).toEqual([[root, ...CALL]]);
});

test("where the command is gone, atlas is searched for on the PATH; without one nothing happens", async () => {
  const root = aRepository();
  const atlas = aRecorder();
  await install(root, { command: [process.execPath, "/gone/atlas.js"] });
  commit(root, "one", onThePath(atlas));
  expect(await called(atlas)).toBe(true);
  expect(atlas.calls()).toEqual([[root, ...CALL]]);
  expect(commit(root, "two")).toMatch(/^[0-9a-f]{40}$/);
});

const COMMIT = ["commit", "-q", "--allow-empty", "-m", "x"] as const;

test("a commit is made and says nothing where the command fails and shouts", async () => {
  const root = aRepository();
  const atlas = aRecorder("echo out; echo err >&2; exit 7");
  await install(root, atlas);
  expect(git(root, ...COMMIT)).toBe("");
  expect(await called(atlas)).toBe(true);
});

test("a commit is made and says nothing while the command takes its time", async () => {
  const root = aRepository();
  const atlas = aSlowRecorder();
  await install(root, atlas);
  expect(gitWith(atlas.env, root, ...COMMIT)).toBe("");
  expect(await atlas.goesOn()).toBe(true);
});

test("nobody who waits for the pipes that git had open waits for the command", async () => {
  const root = aRepository();
  const atlas = aSlowRecorder();
  await install(root, atlas);
  const child = spawn("git", COMMIT, {
    cwd: root,
    stdio: ["ignore", "pipe", "pipe", "pipe"],
    env: { ...process.env, ...atlas.env, EMAIL: "a@b" },
  });
  for (const stream of child.stdio) stream?.on("data", () => {});
  await once(child, "close");
  expect(await atlas.goesOn()).toBe(true);
});

function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

test.runIf(lane === "long")("a command that does not end is killed after ten seconds", async () => {
  const root = aRepository();
  const pid = join(aFolder(), "pid");
  await install(root, aRecorder(`echo $$ > '${pid}'\nexec sleep 600`));
  commit(root, "one");
  expect(await eventually(() => existsSync(pid) && readFileSync(pid, "utf8") !== "")).toBe(true);
  expect(await eventually(() => !isThere(Number(readFileSync(pid, "utf8"))))).toBe(true);
});

test.for([
  ["that amends", ["commit", "-q", "--amend", "--allow-empty", "-m", "again"]],
  ["that passes by the checks", ["commit", "-q", "--no-verify", "--allow-empty", "-m", "x"]],
] as const)("a commit %s calls the command too", async ([, args]) => {
  const root = aRepository();
  const atlas = aRecorder();
  await install(root, atlas);
  git(root, ...args);
  expect(await called(atlas)).toBe(true);
});

test("of the commits of a rebase at most the last, when it is over, starts anything; the one after it does", async () => {
  const root = aRepository();
  for (const subject of ["one", "two", "three"]) commit(root, subject);
  const atlas = aRecorder();
  await install(root, atlas);
  const later = (year: number) => ({ GIT_COMMITTER_DATE: `${year}-01-01T00:00:00Z` });
  gitWith(later(2030), root, "rebase", "-q", "-f", "HEAD~3");
  gitWith(later(2031), root, "rebase", "-q", "--apply", "-f", "HEAD~3");
  await pause(300);
  const [rebases, before] = [2, atlas.calls().length];
  expect(before).toBeLessThanOrEqual(rebases);
  commit(root, "four");
  await expect.poll(() => atlas.calls().length).toBeGreaterThan(before);
});

test.for([
  ["sh", "#!/bin/sh\n"],
  ["sh -eu", "#!/bin/sh -eu\n"],
  ["dash -e", "#!/usr/bin/dash -e\n"],
  ["bash", "#! /usr/bin/bash\n"],
  ["env bash", "#!/usr/bin/env bash\n"],
])("a git hook of %s that was there runs as before, and ours beside it", async ([, shebang]) => {
  const log = join(aFolder(), "log");
  const body = `printf '%s' "\${git_dir-unset}\${part-unset}$#" >> '${log}'\nexit 0\n`;
  const root = aRepository();
  script(hookOf(root), `${shebang}${body}`, 0o750);
  const atlas = aRecorder();
  expect(await install(root, atlas)).toMatchObject({ kind: "installed", how: "inserted" });
  expect(statSync(hookOf(root)).mode & 0o7777).toBe(0o750);
  commit(root, "one");
  expect(await called(atlas)).toBe(true);
  expect(readFileSync(log, "utf8")).toBe("unsetunset0");
});

test("the line for a person does what the git hook does", async () => {
  const root = aRepository();
  const atlas = aSlowRecorder();
  script(hookOf(root), `#!/bin/sh\n${GIT_HOOK_LINE}\n`);
  expect(gitWith(atlas.env, root, ...COMMIT)).toBe("");
  expect(await atlas.goesOn()).toBe(true);
  expect(atlas.calls()).toEqual([[root, ...CALL]]);
});

test("a command that is no absolute path, or would end the block, is refused", async () => {
  const root = aRepository();
  for (const command of [[], ["atlas"], ["/x", "-e"], ["/x\n# <<< atlas hook <<<\ny"]]) {
    const refused = expect.objectContaining({ code: "ERR_INVALID_HOOK_FILE" });
    await expect(install(root, { command })).rejects.toEqual(refused);
  }
  writeFileSync(join(root, "untouched"), "");
  expect(git(root, "status", "--porcelain", "--ignored")).toBe("?? untouched\n");
});
