import { spawn } from "node:child_process";
import { existsSync, readlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { clearGitLocks, gitLocks } from "../src/locks.ts";
import { openRepository } from "../src/repository.ts";
import { aFolder, aRepository, git } from "./fixture.ts";

/** A git that works in a folder until the test ends. */
async function workingGit(cwd: string): Promise<void> {
  const child = spawn("git", ["hash-object", "--stdin"], {
    cwd,
    stdio: ["pipe", "ignore", "ignore"],
  });
  onTestFinished(() => void child.kill());
  while (readlinkSync(`/proc/${child.pid}/exe`).includes("node")) await sleep(5);
}

function linked(repo: string): string {
  const path = join(aFolder(), "linked");
  git(repo, "worktree", "add", "--quiet", path, "-b", "linked");
  return path;
}

const OWN = ["index.lock", "HEAD.lock"];
const SHARED = ["packed-refs.lock", "refs/heads/topic/a.lock", "refs/quasar/run/1.lock"];

function lock(repo: string): void {
  git(repo, "branch", "topic/b");
  git(repo, "update-ref", "refs/quasar/run/2", "HEAD");
  for (const name of [...OWN, ...SHARED]) writeFileSync(join(repo, ".git", name), "");
}

test.runIf(process.platform === "linux").for([
  ["the work tree itself", (repo: string) => repo, [...OWN, ...SHARED]],
  ["a linked work tree", (_: string, tree: string) => tree, SHARED],
  ["nowhere near", (_: string, __: string, far: string) => far, []],
] as const)("what a git may hold that works in %s is left alone", async ([, where, held]) => {
  const repo = aRepository();
  const tree = linked(repo);
  lock(repo);
  await workingGit(where(repo, tree, aFolder()));
  const cleared = await clearGitLocks(await openRepository(repo));
  const names = [...OWN, ...SHARED];
  expect(cleared).toHaveLength(names.length - held.length);
  expect(names.filter((name) => existsSync(join(repo, ".git", name)))).toEqual(held);
});

test.runIf(process.platform === "linux")(
  "a git in the main work tree may hold what a linked one shares with it",
  async () => {
    const repo = aRepository();
    const tree = linked(repo);
    lock(repo);
    await workingGit(repo);
    const locks = gitLocks(await openRepository(tree));
    expect(locks.map(({ isDead }) => isDead)).toEqual(SHARED.map(() => false));
  },
);

test.runIf(process.platform === "linux")(
  "a git that works for another work tree, in the git folder that all share, holds no index of a linked one",
  async () => {
    const repo = aRepository();
    const tree = await openRepository(linked(repo));
    writeFileSync(join(tree.gitDir, "index.lock"), "");
    await workingGit(join(repo, ".git"));
    expect(await clearGitLocks(tree)).toEqual([join(tree.gitDir, "index.lock")]);
  },
);

test.runIf(process.platform === "linux")(
  "locks of what all work trees share can be left alone",
  async () => {
    const repo = aRepository();
    lock(repo);
    const cleared = await clearGitLocks(await openRepository(repo), { shared: false });
    expect(cleared.map((path) => path.replace(`${repo}/.git/`, ""))).toEqual(OWN);
  },
);

test("what is moved aside is no ref", async () => {
  const repo = aRepository();
  lock(repo);
  const cleared = await clearGitLocks(await openRepository(repo));
  expect(cleared).toHaveLength(OWN.length + SHARED.length);
  expect(git(repo, "for-each-ref", "--format=%(refname)").trim().split("\n")).toEqual([
    "refs/heads/main",
    "refs/heads/topic/b",
    "refs/quasar/run/2",
  ]);
  expect(git(repo, "fsck", "--no-dangling")).toBe("");
});
