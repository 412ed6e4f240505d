import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type Finished, git, write } from "../harness.ts";
import {
  ATLAS,
  atlas,
  atlasJson,
  type AtlasPlace,
  atlasPlace,
  FIX,
  scripted,
  workTreeOf,
} from "./harness.ts";
import { type RemotePlace, remoteHead, withRemote } from "./remote.ts";

const BRANCH = "patch/add-a-file";

function patched(at: AtlasPlace, validate: string): Promise<Finished> {
  const line = ["start", "Add a file", "--template", "patch", "--use-local", "--max-fixes", "0"];
  return atlas(at, [...line, "--validate", validate, ...scripted(at, FIX.slice(1))]);
}

/** A command that passes only on the reviewed work, and meanwhile somebody does something, once. */
function meanwhile(at: AtlasPlace, act: string): string {
  const flag = join(at.outside, "acted");
  return `grep -q right work.txt && { test -e '${flag}' || { touch '${flag}'; ${act}; }; }`;
}

const there = (at: AtlasPlace): AtlasPlace => ({ ...at, repo: workTreeOf(at) });

function commitEvil(at: AtlasPlace): void {
  write(workTreeOf(at), { "evil.txt": "evil\n" });
  git(there(at), "add", "--all");
  git(there(at), "commit", "--quiet", "--message", "evil");
}

test.for([
  ["an edit", "echo bad > work.txt"],
  ["a commit", "echo bad > work.txt; git commit -qam unreviewed"],
] as const)(
  "%s while the validation runs is reported, and neither pushed nor verified where it does not pass",
  async ([, act]) => {
    const at = withRemote(atlasPlace());
    const started = await patched(at, meanwhile(at, act));
    expect(started.code, started.stderr).toBe(9);
    expect(started.stderr).toMatch(/changed while ".*" ran: work\.txt; that is not reviewed/u);
    expect(started.stdout).toContain("waits for you in step validate");
    expect(remoteHead(at, BRANCH)).toBe("");
    expect((await atlas(there(at), ["verify", "add-a-file"])).code).toBe(10);
  },
);

test("what a formatter makes of the work in the validation is reported, validated, pushed and verified", async () => {
  const at = withRemote(atlasPlace());
  const started = await patched(at, "grep -q formatted work.txt || echo formatted >> work.txt");
  expect(started.code, started.stderr).toBe(0);
  expect(started.stderr).toContain("ran: work.txt; that is not reviewed");
  expect(started.stdout).toContain("changed while it ran, not reviewed: work.txt");
  expect(git({ ...at, repo: at.bare }, "show", `${BRANCH}:work.txt`)).toBe("right\nformatted");
  const verified = await atlas(there(at), ["verify", "add-a-file"]);
  expect([verified.code, verified.stdout]).toEqual([0, expect.stringContaining("VALID")]);
});

/** A task whose push the remote has refused, and would take now. */
async function refused(): Promise<{ readonly at: RemotePlace; readonly started: Finished }> {
  const at = withRemote(atlasPlace());
  const hook = join(at.bare, "hooks/pre-receive");
  write(at.bare, { "hooks/pre-receive": "#!/bin/sh\necho 'not today' >&2\nexit 1\n" });
  chmodSync(hook, 0o755);
  const started = await patched(at, "grep -q right work.txt");
  rmSync(hook);
  return { at, started };
}

test("a commit that comes after the validation is not pushed by a retry, and what is advised gets it through", async () => {
  const { at, started } = await refused();
  expect(started.code, started.stderr).toBe(9);
  expect(started.stdout).toContain("not today");
  expect(started.stdout).toMatch(/because +the remote refused it \(see above\)\n/u);
  commitEvil(at);
  expect((await atlas(at, ["retry"])).code).toBe(0);
  const resumed = await atlas(at, ["resume"]);
  expect(resumed.code).toBe(9);
  expect(resumed.stdout).toContain("changed since the validation: evil.txt");
  expect(remoteHead(at, BRANCH)).toBe("");

  const approving = await atlas(at, ["approve", "--yes"]);
  expect([approving.code, approving.stderr]).toEqual([
    6,
    expect.stringContaining("changed since the validation: evil.txt"),
  ]);
  expect((await atlas(at, ["validate"])).code).toBe(0);
  expect((await atlas(at, ["approve", "--yes"])).stdout).toContain("b/evil.txt");
  expect((await atlas(at, ["resume"])).code).toBe(0);
  expect(remoteHead(at, BRANCH)).toBe(git(there(at), "rev-parse", "HEAD"));
  expect((await atlas(there(at), ["verify", "add-a-file"])).code).toBe(0);
});

/** Types a command as a person would, who reads the words in brackets behind it. */
function type(at: AtlasPlace, line: string): void {
  const [command = ""] = line.split("   # ");
  const shell = `atlas() { '${process.execPath}' '${ATLAS}' "$@"; }; ${command}`;
  execFileSync("sh", ["-c", shell], { cwd: at.repo, env: at.env, stdio: "pipe" });
}

test("where a task's work tree was deleted, what is advised brings it back, and the task continues", async () => {
  const at = atlasPlace();
  const flag = join(at.outside, "flag");
  const started = await patched(at, `test -e '${flag}'`);
  expect(started.code, started.stderr).toBe(9);
  const tree = workTreeOf(at);
  rmSync(tree, { recursive: true });
  write(at.outside, { flag: "" });

  expect((await atlas(at, ["retry"])).stdout).toContain("worktree add --force");
  const { code, next, message } = await atlasJson(at, ["resume"]);
  expect([code, message]).toEqual([2, `the task's work tree ${tree} is gone`]);
  const [line] = next as string[];
  expect(line).toMatch(/ && atlas resume {3}# /u);
  type(at, line ?? "");
  expect(existsSync(join(tree, "work.txt"))).toBe(true);
  expect(await atlasJson(at, ["status"])).toMatchObject({ hook: { state: "completed" } });
});
