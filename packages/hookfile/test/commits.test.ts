import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { inspectRepository } from "@quasar/git";
import { expect, test } from "vitest";
import type { KnownCommits, NoticedCommits } from "../src/git-hook/commits.ts";
import {
  clearInbox,
  installGitHook,
  lookForCommits,
  noteCommit,
  readInbox,
} from "../src/git-hook/index.ts";
import { aFolder, aRepository, aTask, commit, git, gitWith, headOf } from "./git-fixture.ts";

const QUASAR = { GIT_REFLOG_ACTION: "quasar:run-1/1" };
/** Other ids than those of the same commits a second ago. */
const LATER = { GIT_COMMITTER_DATE: "2030-01-01T00:00:00Z" };

/** A task that looks for commits as an engine does: what is noticed is recorded, then cleared. */
async function aWatcher(root: string) {
  const { taskDir, tasksRoot } = aTask();
  await installGitHook(root, { taskDir, command: ["/usr/bin/true"] });
  let known: KnownCommits = { head: headOf(root), recorded: new Set() };
  const look = async (): Promise<NoticedCommits> => {
    const inbox = readInbox(taskDir);
    const noticed = await lookForCommits(root, known, inbox.notes);
    if (noticed.kind === "waiting") return noticed;
    const commits = noticed.checkpoints.map((checkpoint) => checkpoint.git.commit);
    known = { head: noticed.head, recorded: new Set([...known.recorded, ...commits]) };
    clearInbox(taskDir, { ...inbox, notes: noticed.notes });
    return noticed;
  };
  return {
    taskDir,
    look,
    /** The subjects of what is new, each with how many commits it stands for. */
    news: async () => {
      const noticed = await look();
      if (noticed.kind === "waiting") return "waiting";
      return noticed.checkpoints.map(({ description, count }) => [description, count]);
    },
    /** What the git hook does once its command runs. */
    hear: () => noteCommit(root, { tasksRoot, now: new Date() }),
    known: () => known,
  };
}

/** Another work tree of the repository, on a branch of its own. */
function aWorkTree(root: string, branch: string): string {
  const path = join(aFolder(), "linked");
  git(root, "worktree", "add", "-q", "-b", branch, path);
  return path;
}

const one = (subject: string) => [`Commit: ${subject}`, 1];

// SPEC.md, statements 89.
test("each commit gives one checkpoint, whether its git hook told of it, told twice, or did not", async () => {
  const root = aRepository();
  const task = await aWatcher(root);
  const told = commit(root, "told");
  await task.hear();
  await task.hear();
  const second = commit(root, "not told");
  writeFileSync(join(root, "dirty"), "");
  expect(await task.look()).toEqual({
    kind: "noticed",
    checkpoints: [
      ["told", told],
      ["not told", second],
    ].map(([subject, sha]) => ({
      trigger: "git_commit",
      description: `Commit: ${subject}`,
      git: { branch: "main", commit: sha, dirty: true },
      count: 1,
    })),
    head: second,
    notes: [expect.anything(), expect.anything()],
    isComplete: true,
  });
  expect(readInbox(task.taskDir).notes).toEqual([]);
  expect(await task.news()).toEqual([]);
});

test("a note that comes after its commit was noticed, or again after a crash, gives no second checkpoint", async () => {
  const root = aRepository();
  const task = await aWatcher(root);
  commit(root, "one");
  const before = task.known();
  expect(await task.news()).toEqual([one("one")]);
  await task.hear();
  expect(await task.news()).toEqual([]);
  const { recorded } = task.known();
  const again = await lookForCommits(root, { ...before, recorded }, readInbox(task.taskDir).notes);
  expect(again).toMatchObject({ checkpoints: [] });
});

test("an amended commit gives one checkpoint: the one that replaces it", async () => {
  const root = aRepository();
  const task = await aWatcher(root);
  commit(root, "one");
  await task.hear();
  git(root, "commit", "-q", "--amend", "-m", "two");
  await task.hear();
  git(root, "commit", "-q", "--amend", "-m", "three");
  expect(await task.news()).toEqual([one("three")]);
  git(root, "commit", "-q", "--amend", "-m", "four");
  commit(root, "five");
  expect(await task.news()).toEqual([one("four"), one("five")]);
});

test.for([
  ["a rebase", "--merge", {}],
  ["a rebase by patches", "--apply", {}],
  ["a rebase by an agent", "--merge", QUASAR],
] as const)("the three commits of %s give one checkpoint", async ([, backend, env]) => {
  const root = aRepository();
  const elsewhere = aWorkTree(root, "base");
  for (const subject of ["one", "two", "three"]) commit(root, subject);
  const task = await aWatcher(root);
  commit(elsewhere, "of somebody else");
  gitWith({ ...env, ...LATER }, root, "rebase", "-q", backend, "base");
  expect(await task.news()).toEqual([["Commit: three (the last of 3 that were rebased)", 3]]);
  commit(root, "four");
  expect(await task.news()).toEqual([one("four")]);
});

test("while a rebase is under way nothing is taken; what it comes to is one checkpoint", async () => {
  const root = aRepository();
  for (const subject of ["one", "two", "three"]) commit(root, subject);
  const task = await aWatcher(root);
  const own = commit(root, "four");
  await task.hear();
  const edit = { GIT_SEQUENCE_EDITOR: "sed -i 2s/^pick/edit/", ...LATER };
  gitWith(edit, root, "rebase", "-q", "-i", "-f", "HEAD~3");
  expect(await task.news()).toBe("waiting");
  expect(readInbox(task.taskDir).notes.map((note) => note.commit)).toEqual([own]);
  gitWith(LATER, root, "rebase", "--continue");
  expect(await task.news()).toEqual([["Commit: four (the last of 3 that were rebased)", 3]]);
  expect(readInbox(task.taskDir).notes).toEqual([]);
});

test("commits by an agent whose reflog action is ours count, each", async () => {
  const root = aRepository();
  const task = await aWatcher(root);
  commit(root, "one", QUASAR);
  gitWith(QUASAR, root, "commit", "-q", "--amend", "-m", "two");
  commit(root, "three", QUASAR);
  expect(await task.news()).toEqual([one("two"), one("three")]);
});

test("what came in by a pull, a merge or a checkout was not made here; the merge's own commit was", async () => {
  const root = aRepository();
  const elsewhere = aWorkTree(root, "other");
  const task = await aWatcher(root);
  for (const subject of ["x", "y"]) commit(elsewhere, subject);
  git(root, "pull", "-q", "--ff-only", elsewhere, "other");
  expect(await task.news()).toEqual([]);
  commit(elsewhere, "z");
  git(root, "merge", "-q", "other");
  expect(await task.news()).toEqual([]);
  const sha = commit(elsewhere, "aside");
  commit(root, "own");
  git(root, "merge", "-q", "-m", "merge it", "other");
  expect(await task.news()).toEqual([one("own"), one("merge it")]);
  commit(elsewhere, "again");
  git(root, "checkout", "-q", "--detach", "other");
  expect(await task.news()).toEqual([]);
  git(root, "reset", "-q", "--hard", sha);
  expect(await task.news()).toEqual([]);
});

test("going back and forth gives nothing; commits by cherry-pick and revert count", async () => {
  const root = aRepository();
  const task = await aWatcher(root);
  const sha = commit(root, "one");
  expect(await task.news()).toEqual([one("one")]);
  git(root, "reset", "-q", "--hard", "HEAD~1");
  expect(await task.news()).toEqual([]);
  git(root, "reset", "-q", "--hard", sha);
  expect(await task.news()).toEqual([]);
  git(root, "revert", "--no-edit", "HEAD");
  gitWith(LATER, root, "cherry-pick", sha);
  expect(await task.news()).toEqual([one('Revert "one"'), one("one")]);
});

test("a linked work tree has commits of its own", async () => {
  const root = aRepository();
  const linked = aWorkTree(root, "linked");
  const [main, other] = [await aWatcher(root), await aWatcher(linked)];
  commit(linked, "one");
  expect(await main.news()).toEqual([]);
  expect(await other.news()).toEqual([one("one")]);
});

test("the first commit of a repository counts, on a detached HEAD too", async () => {
  const root = aFolder();
  git(root, "init", "-q", "--object-format=sha256");
  const known = { head: "", recorded: new Set<string>() };
  expect(await lookForCommits(root, known, [])).toMatchObject({ checkpoints: [], head: "" });
  const first = commit(root, "one");
  git(root, "checkout", "-q", "--detach");
  const noticed = await lookForCommits(root, known, []);
  expect(noticed).toMatchObject({ checkpoints: [{ git: { branch: "", commit: first } }] });
});

test("without a reflog the line of first parents counts, and one for all if it was written again", async () => {
  const root = aRepository();
  git(root, "config", "core.logAllRefUpdates", "false");
  rmSync(join(root, ".git/logs"), { recursive: true });
  const task = await aWatcher(root);
  for (const subject of ["one", "two"]) commit(root, subject);
  expect(await task.news()).toEqual([one("one"), one("two")]);
  gitWith(LATER, root, "rebase", "-q", "-f", "HEAD~2");
  expect(await task.news()).toEqual([["Commit: two (the last of 2 that were rebased)", 2]]);
});

test("where the known commit is lost, HEAD stands for what cannot be listed, and so it is said", async () => {
  const root = aRepository();
  const task = await aWatcher(root);
  const { recorded } = task.known();
  const sha = commit(root, "one");
  await task.hear();
  const lost = { head: "f".repeat(40), recorded };
  const noticed = await lookForCommits(root, lost, readInbox(task.taskDir).notes);
  expect(noticed).toMatchObject({
    checkpoints: [{ description: "Commit: one", git: { commit: sha } }],
    head: sha,
    isComplete: false,
  });
});

test("a work tree that was seen is not looked at again", async () => {
  const root = aRepository();
  const known = { head: headOf(root), recorded: new Set<string>() };
  commit(root, "new");
  const seen = await inspectRepository(root, { since: known.head });
  const noticed = await lookForCommits("/nowhere", known, [], { seen });
  expect(noticed).toEqual(await lookForCommits(root, known, []));
  expect(noticed).toMatchObject({ kind: "noticed", checkpoints: [{ description: "Commit: new" }] });
});
