import { spawn } from "node:child_process";
import { existsSync, readlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { folder, git, type Place, place } from "../test/harness.ts";
import { clearGitLocks, gitLocks } from "./git-locks.ts";
import { openWorkspace } from "./workspace.ts";

/** A git that works in a folder until the test ends. */
async function workingGit({ env }: Place, cwd: string): Promise<void> {
  const child = spawn("git", ["hash-object", "--stdin"], {
    cwd,
    env,
    stdio: ["pipe", "ignore", "ignore"],
  });
  onTestFinished(() => void child.kill());
  while (readlinkSync(`/proc/${child.pid}/exe`).includes("node")) await sleep(5);
}

function linked(at: Place): string {
  const path = join(folder(), "linked");
  git(at, "worktree", "add", "--quiet", path, "-b", "linked");
  return path;
}

const OWN = ["index.lock", "HEAD.lock"];
const SHARED = ["packed-refs.lock", "refs/heads/topic/a.lock", "refs/quasar/run/1.lock"];

function lock(at: Place): void {
  git(at, "branch", "topic/b");
  git(at, "update-ref", "refs/quasar/run/2", "HEAD");
  for (const name of [...OWN, ...SHARED]) writeFileSync(join(at.repo, ".git", name), "");
}

test.runIf(process.platform === "linux").for([
  ["the work tree itself", (repo: string) => repo, [...OWN, ...SHARED]],
  ["a linked work tree", (_: string, tree: string) => tree, SHARED],
  ["nowhere near", (_: string, __: string, far: string) => far, []],
] as const)("what a git may hold that works in %s is left alone", async ([, where, held]) => {
  const at = place();
  const tree = linked(at);
  lock(at);
  await workingGit(at, where(at.repo, tree, folder()));
  const cleared = await clearGitLocks(await openWorkspace(at.repo));
  const names = [...OWN, ...SHARED];
  expect(cleared).toHaveLength(names.length - held.length);
  expect(names.filter((name) => existsSync(join(at.repo, ".git", name)))).toEqual(held);
});

test.runIf(process.platform === "linux")(
  "a git in the main work tree may hold what a linked one shares with it",
  async () => {
    const at = place();
    const tree = linked(at);
    lock(at);
    await workingGit(at, at.repo);
    const locks = gitLocks(await openWorkspace(tree));
    expect(locks.map(({ isDead }) => isDead)).toEqual(SHARED.map(() => false));
  },
);

test("what is set aside is no ref", async () => {
  const at = place();
  lock(at);
  const cleared = await clearGitLocks(await openWorkspace(at.repo));
  expect(cleared).toHaveLength(OWN.length + SHARED.length);
  expect(git(at, "for-each-ref", "--format=%(refname)").split("\n")).toEqual([
    "refs/heads/main",
    "refs/heads/topic/b",
    "refs/quasar/run/2",
  ]);
  expect(git(at, "fsck", "--no-dangling")).toBe("");
});
