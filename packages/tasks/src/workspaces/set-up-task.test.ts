import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { findRunProcesses } from "@quasar/agents/turns";
import { expect, test } from "vitest";
import {
  aFolder,
  aScene,
  commitFile,
  failure,
  git,
  script,
  write,
} from "../../test/workspace-fixture.ts";
import type { TaskRecord } from "../task-record.ts";
import { setUpTask } from "./set-up-task.ts";

test("makes the branch and the work tree, once", async () => {
  const { prepare, root } = aScene();
  const { task } = await prepare();
  const { worktreeDir: tree, branch, baseSha } = task.metadata;
  await setUpTask({ task });
  expect(git(tree, "branch", "--show-current")).toBe(branch);
  expect(git(tree, "rev-parse", "HEAD")).toBe(baseSha);
  expect(git(tree, "status", "--porcelain")).toBe("");
  write(tree, "work.txt", "in progress");
  await setUpTask({ task });
  expect(readFileSync(join(tree, "work.txt"), "utf8")).toBe("in progress");
  expect(git(root, "worktree", "list").split("\n")).toHaveLength(2);
});

test("takes a branch that is there already, from before a crash", async () => {
  const { prepare, root } = aScene();
  const { task } = await prepare();
  git(root, "branch", task.metadata.branch);
  mkdirSync(task.metadata.worktreeDir);
  await setUpTask({ task });
  expect(git(task.metadata.worktreeDir, "branch", "--show-current")).toBe(task.metadata.branch);
});

test("makes a work tree again whose folder somebody has removed", async () => {
  const { prepare } = aScene();
  const { task } = await prepare();
  await setUpTask({ task });
  rmSync(task.metadata.worktreeDir, { recursive: true });
  await setUpTask({ task });
  expect(git(task.metadata.worktreeDir, "status", "--porcelain")).toBe("");
});

test.for([
  ["files", (tree: string) => write(tree, "mine.txt", "mine"), "ERR_EXISTS"],
  [
    "another repository",
    (tree: string) => {
      mkdirSync(tree);
      git(tree, "init", "-q");
    },
    "ERR_EXISTS",
  ],
  [
    "a work tree on another branch",
    (tree: string, root: string) => git(root, "worktree", "add", "-q", "-b", "other", tree),
    "ERR_CHANGED",
  ],
] as const)("leaves alone %s in its place", async ([, put, code]) => {
  const { prepare, root } = aScene();
  const { task } = await prepare();
  const { worktreeDir: tree } = task.metadata;
  put(tree, root);
  const before = git(root, "worktree", "list");
  expect(await failure(setUpTask({ task }))).toMatchObject({ code });
  expect(git(root, "worktree", "list")).toBe(before);
  expect(existsSync(tree)).toBe(true);
});

test("does not take a branch of its name that somebody else has made", async () => {
  const { prepare, root } = aScene();
  const { task } = await prepare();
  const other = commitFile(root, "b.txt");
  git(root, "branch", task.metadata.branch, other);
  expect(await failure(setUpTask({ task }))).toMatchObject({ code: "ERR_CHANGED" });
});

test("does not work here when another branch has been checked out since", async () => {
  const { prepare, root } = aScene();
  const { task } = await prepare({ here: true });
  git(root, "switch", "-qc", "other");
  expect(await failure(setUpTask({ task }))).toMatchObject({ code: "ERR_CHANGED" });
});

test("stops when told to, and continues from there", async () => {
  const { prepare } = aScene();
  const { task } = await prepare();
  const reason = new Error("stop");
  expect(await failure(setUpTask({ task, signal: AbortSignal.abort(reason) }))).toBe(reason);
  await setUpTask({ task });
});

/** As `createWorktree` starts git, in a process group of its own. */
function startGit(root: string, { id, metadata }: TaskRecord): ChildProcess {
  const { worktreeDir, branch, baseSha } = metadata;
  const args = [
    "worktree",
    "add",
    "--quiet",
    "--no-track",
    "-b",
    branch,
    "--",
    worktreeDir,
    baseSha,
  ];
  const env = { ...process.env, QUASAR_RUN_ID: `${id}-set-up` };
  return spawn("git", args, { cwd: root, env, stdio: "ignore", detached: true });
}

/** A repository in which git waits in the middle of making a work tree. */
async function inTheMiddle(): Promise<{
  readonly task: TaskRecord;
  readonly root: string;
  readonly running: ChildProcess;
}> {
  const { prepare, root } = aScene();
  const reached = join(aFolder(), "reached");
  const slow = script(
    aFolder(),
    "slow",
    `cat; [ -e '${reached}' ] || { touch '${reached}'; sleep 60; }`,
  );
  write(root, ".gitattributes", "z.txt filter=slow\n");
  write(root, "z.txt", "z\n");
  git(root, "add", "-A");
  git(root, "commit", "-qm", "filtered");
  const { task } = await prepare({ useLocal: true });
  git(root, "config", "filter.slow.smudge", slow);
  const running = startGit(root, task);
  while (!existsSync(reached)) await sleep(10);
  return { task, root, running };
}

test.for(["was killed", "continues without its runner"] as const)(
  "makes a work tree again that git, which %s, has left half made",
  async (fate) => {
    const { task, root, running } = await inTheMiddle();
    const { worktreeDir: tree, branch } = task.metadata;
    if (fate === "was killed") process.kill(-(running.pid ?? 0), "SIGKILL");
    expect(existsSync(join(tree, "a.txt"))).toBe(true);
    expect(git(root, "worktree", "list", "--porcelain")).toContain("locked initializing");

    await setUpTask({ task });
    expect(git(tree, "status", "--porcelain")).toBe("");
    expect(git(tree, "branch", "--show-current")).toBe(branch);
    expect(readFileSync(join(tree, "z.txt"), "utf8")).toBe("z\n");
    expect(git(root, "worktree", "list", "--porcelain")).not.toContain("locked");
    expect(git(root, "worktree", "list").split("\n")).toHaveLength(2);
    expect(findRunProcesses(`${task.id}-set-up`)).toEqual([]);
  },
);

test("leaves alone a work tree that git makes at another place", async () => {
  const { task, root, running } = await inTheMiddle();
  const here = task.metadata.worktreeDir;
  const other = { ...task, id: "task-other", metadata: { ...task.metadata, branch: "other" } };
  const elsewhere = { ...other, metadata: { ...other.metadata, worktreeDir: `${here}-other` } };
  git(root, "config", "--unset", "filter.slow.smudge");
  await setUpTask({ task: elsewhere });
  expect(existsSync(join(here, "a.txt"))).toBe(true);
  expect(running.exitCode).toBeNull();
  process.kill(-(running.pid ?? 0), "SIGKILL");
});

test("goes by git's own record of what is half made", async () => {
  const { prepare, root } = aScene();
  const { task } = await prepare();
  await setUpTask({ task });
  const { worktreeDir: tree } = task.metadata;
  write(tree, "work.txt", "in progress");
  git(root, "worktree", "lock", "--reason", "mine", tree);
  await setUpTask({ task });
  expect(existsSync(join(tree, "work.txt"))).toBe(true);
  const [record = ""] = git(tree, "rev-parse", "--git-dir").split("\n");
  writeFileSync(join(record, "locked"), "initializing");
  writeFileSync(join(record, "gitdir"), "/somewhere/else/.git\n");
  await setUpTask({ task }).catch(() => undefined);
  expect(existsSync(join(tree, "work.txt"))).toBe(true);
});
