import { appendFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { treeToCommit } from "@quasar/git/work-trees";
import { afterAll, beforeAll, expect, test } from "vitest";
import { reviewGaps } from "../src/operations/review-gaps.ts";
import { validateTask } from "../src/operations/validate-task.ts";
import { readTask } from "../src/task-store.ts";
import { aTestFolder, git, settleGit, write } from "./git-task.ts";
import { aRealTask, type RealTask } from "./real-task.ts";

const folder = aTestFolder();
settleGit(folder.dir);
afterAll(folder.remove);

/** One that waits for its review; each test continues from what the one before has left. */
let task: RealTask;
beforeAll(async () => {
  task = await aRealTask(join(folder.dir, "gaps"));
  await task.drive();
});

async function gaps(): Promise<readonly string[]> {
  const { taskDir: dir } = task.prepared;
  const present = await treeToCommit(task.worktree);
  const { keys } = task.ports;
  const at = { dir, hook: task.hook(), task: readTask(dir) };
  const found = await reviewGaps(at, { keys, present });
  return found.map(({ kind, message }) => `${kind}: ${message}`);
}

test("nothing is between a review and what was validated, committed and pushed", async () => {
  expect(task.hook().awaiting?.kind).toBe("review");
  expect(await gaps()).toEqual([]);
});

test("what changed after the validation is neither validated nor committed, and is named", async () => {
  write(task.worktree, "later.js", "1;\n");
  expect(await gaps()).toEqual([
    "unvalidated: changed since the validation: later.js",
    "uncommitted: not committed: later.js",
  ]);
});

test("what was committed after the push is in no pull request, and is named", async () => {
  git(task.worktree, "add", "-A");
  git(task.worktree, "commit", "-qm", "later");
  expect(await gaps()).toEqual([
    "unvalidated: changed since the validation: later.js",
    expect.stringMatching(/^unpushed: not pushed, so in no pull request: [0-9a-f]{10} later$/u),
  ]);
});

test("what a person has validated and pushed by hand is no gap any more", async () => {
  const { taskDir } = task.prepared;
  await validateTask(taskDir, {
    task: readTask(taskDir),
    hook: task.hook(),
    ports: task.ports,
    tell: () => {},
    signal: new AbortController().signal,
  });
  expect(await gaps()).toEqual([expect.stringMatching(/^unpushed: /u)]);
  git(task.worktree, "push", "-q", "origin", "HEAD");
  git(task.worktree, "update-ref", "refs/remotes/origin/fix/fix-null-pointer-in-config", "HEAD");
  expect(await gaps()).toEqual([]);
});

test("a commit that is not on the task's branch is named, with the branch", async () => {
  const { branch } = task.hook();
  git(task.worktree, "checkout", "-q", "--detach");
  expect(await gaps(), "the branch holds it").toEqual([]);
  git(task.worktree, "update-ref", "-d", `refs/heads/${branch}`);
  const head = git(task.worktree, "rev-parse", "HEAD").trim().slice(0, 10);
  const missing = `uncommitted: not on branch ${branch}: ${head}`;
  expect(await gaps()).toEqual([missing]);
  git(task.worktree, "branch", "-q", branch, "HEAD~1");
  expect(await gaps(), "it is behind").toEqual([missing]);
  git(task.worktree, "branch", "-q", "-f", branch, "HEAD");
  expect(await gaps()).toEqual([]);
});

test("what rules that no commit holds keep out of the commits is named", async () => {
  const exclude = git(task.worktree, "rev-parse", "--git-path", "info/exclude").trim();
  write(task.worktree, "kept-out.js", "1;\n");
  appendFileSync(resolve(task.worktree, exclude), "kept-out.js\n");
  expect(await gaps()).toEqual([
    "uncommitted: kept out of commits by rules that none holds: kept-out.js",
  ]);
});

test("work that is ignored is named, what tools make is not", async () => {
  write(task.worktree, ".gitignore", "lib/\nbuild/\nnode_modules/\n");
  git(task.worktree, "add", ".gitignore");
  git(task.worktree, "commit", "-qm", "rules");
  const before = await gaps();
  expect(before.filter((gap) => gap.startsWith("ignored"))).toEqual([]);
  for (const path of ["lib/med.py", "build/made.js", "node_modules/x/index.js"])
    write(task.worktree, path, "1\n");
  const added = (await gaps()).filter((gap) => !before.includes(gap));
  expect(added).toEqual(["ignored: in no commit, as git ignores it: lib/"]);
});
