import { expect, test } from "vitest";
import { lookForPushes, type ToldPush } from "../src/git-hook/pushes.ts";
import { aFolder, aRepository, commit, git, gitWith, headOf } from "./git-fixture.ts";

function withRemote(name = "origin") {
  const root = aRepository();
  const bare = aFolder();
  git(bare, "init", "-q", "--bare");
  git(root, "remote", "add", name, bare);
  const own = new Set<string>();
  let told: readonly ToldPush[] = [];
  return {
    root,
    bare,
    /** Makes a commit of the task's. */
    work: (subject: string): string => {
      const sha = commit(root, subject);
      own.add(sha);
      return sha;
    },
    look: async () => {
      const noticed = await lookForPushes(root, "main", { own, told });
      ({ told } = noticed);
      return noticed;
    },
  };
}

// SPEC.md, statements 90.
test("each push of a commit of the task's is told once, with its branch and commit", async () => {
  const { root, work, look } = withRemote();
  git(root, "push", "-q", "origin", "main");
  expect(await look()).toEqual({ pushes: [], unseen: [], told: [] });
  work("one");
  const two = work("two");
  expect((await look()).pushes).toEqual([]);
  git(root, "push", "-q", "origin", "main");
  const push = { ref: "refs/remotes/origin/main", commit: two };
  expect(await look()).toEqual({
    pushes: [
      {
        trigger: "git_push",
        description: "Push: origin/main",
        remote: "origin",
        branch: "main",
        ...push,
      },
    ],
    unseen: [],
    told: [push],
  });
  expect((await look()).pushes).toEqual([]);
  const three = work("three");
  git(root, "push", "-q", "origin", "HEAD:refs/heads/topic/x");
  git(root, "commit", "-q", "--amend", "-m", "of nobody here");
  git(root, "push", "-q", "--force", "origin", "main");
  const [topic, ...rest] = (await look()).pushes;
  expect(rest).toEqual([]);
  expect(topic).toMatchObject({ branch: "topic/x", commit: three });
});

test("a fetch is no push, whoever pushed and whatever the reflog's action is said to be", async () => {
  const { root, bare, work, look } = withRemote();
  git(root, "push", "-q", "origin", "main");
  const sha = work("one");
  const other = aFolder();
  git(other, "clone", "-q", root, ".");
  git(other, "push", "-q", bare, "main");
  gitWith({ GIT_REFLOG_ACTION: "update by push" }, root, "fetch", "-q", "origin");
  expect(git(root, "rev-parse", "origin/main").trim()).toBe(sha);
  expect(await look()).toEqual({ pushes: [], unseen: [], told: [] });
});

test("packing refs hides no push; clocks that were set do not either", async () => {
  const { root, work, look } = withRemote();
  const old = { GIT_COMMITTER_DATE: "2001-01-01T00:00:00Z" };
  work("one");
  gitWith(old, root, "push", "-q", "origin", "main");
  git(root, "pack-refs", "--all");
  expect((await look()).pushes).toHaveLength(1);
  work("two");
  gitWith(old, root, "push", "-q", "origin", "main");
  expect((await look()).pushes).toHaveLength(1);
});

test.for([
  ["has expired", (root: string) => git(root, "reflog", "expire", "--expire=all", "--all")],
  ["is not kept", () => ""],
] as const)("where the reflog %s, it is said that a push may have been", async ([, lose]) => {
  const { root, work, look } = withRemote();
  const isKept = lose.length > 0;
  if (!isKept) git(root, "config", "core.logAllRefUpdates", "false");
  const commit = work("one");
  git(root, "push", "-q", "origin", "main");
  lose(root);
  const unseen = [{ reason: "no-reflog", ref: "refs/remotes/origin/main", commit }];
  expect(await look()).toEqual({ pushes: [], unseen, told: [] });
});

test("a push that was reported is not in doubt when its reflog has expired", async () => {
  const { root, work, look } = withRemote();
  work("one");
  git(root, "push", "-q", "origin", "main:x");
  await look();
  git(root, "reflog", "expire", "--expire=all", "--all");
  const { pushes, unseen, told } = await look();
  expect([pushes, unseen, told.length]).toEqual([[], [], 1]);
  git(root, "push", "-q", "origin", ":x");
  expect((await look()).told).toEqual([]);
});

test("without a remote, and where pushes leave no trace, that is said", async () => {
  const root = aRepository();
  const known = { own: new Set([headOf(root)]), told: [] };
  const unseenIn = async (): Promise<unknown> => (await lookForPushes(root, "main", known)).unseen;
  expect(await unseenIn()).toEqual([{ reason: "no-remote" }]);
  const { root: other, look, bare, work } = withRemote("a/b");
  git(other, "config", "remote.pushDefault", bare);
  expect((await look()).unseen).toEqual([{ reason: "untracked-remote" }]);
  git(other, "config", "remote.pushDefault", "a/b");
  work("one");
  git(other, "push", "-q", "a/b", "main:c/d");
  expect(await look()).toMatchObject({ pushes: [{ remote: "a/b", branch: "c/d" }], unseen: [] });
});
