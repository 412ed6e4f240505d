import { readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { refSha } from "../src/branches.ts";
import { onGitWork } from "../src/git-work.ts";
import { isAncestor } from "../src/head.ts";
import { commitsLeftAside } from "../src/left-aside.ts";
import { readRef } from "../src/landing/swap-ref.ts";
import { workTreesOn } from "../src/landing/work-trees-on.ts";
import { hasPlainlyNoRefs } from "../src/loose.ts";
import { openRepository, type Repository } from "../src/repository.ts";
import { dirtyPaths } from "../src/status.ts";
import { aFolder, aRepository, git, headOf, write } from "./fixture.ts";

/** What comes of something, and the git commands that it has started. */
async function watched<T>(work: () => Promise<T>): Promise<readonly [T, readonly string[]]> {
  const started: string[] = [];
  const end = onGitWork({ begun: ({ what }) => void started.push(what), ended: () => {} });
  try {
    return [await work(), started];
  } finally {
    end();
  }
}

function commit(root: string, message = "next"): string {
  git(root, "commit", "-q", "--allow-empty", "-m", message);
  return headOf(root);
}

const REF = "refs/heads/topic/one";

/** What is asked of an opened repository has to be what git says. */
async function sameAsGit({ root, ...folders }: Repository): Promise<string | undefined> {
  const repository = { root, ...folders };
  const [plain] = await watched(() => refSha(repository, REF));
  expect(plain).toBe(await refSha(root, REF));
  return plain;
}

for (const format of ["sha1", "sha256"] as const) {
  test(`names what a ref names without git as long as that is plain: ${format}`, async () => {
    const root = aRepository(aFolder(), `--object-format=${format}`);
    const repository = await openRepository(root);
    expect(await watched(() => refSha(repository, REF))).toEqual([undefined, []]);
    git(root, "branch", "topic/one");
    expect(await watched(() => refSha(repository, REF))).toEqual([headOf(root), []]);
    // Each look is one at what is there now.
    const next = commit(root);
    git(root, "update-ref", REF, next);
    expect(await watched(() => refSha(repository, REF))).toEqual([next, []]);
    expect(await watched(() => readRef(repository, REF))).toEqual([next, []]);
    git(root, "pack-refs", "--all");
    expect(await watched(() => refSha(repository, REF))).toEqual([next, ["rev-parse"]]);
    git(root, "update-ref", REF, `${next}^`);
    expect(await sameAsGit(repository)).toBe(git(root, "rev-parse", `${next}^`).trim());
  });
}

test("asks git for a ref that is symbolic, or no whole file", async () => {
  const root = aRepository();
  const repository = await openRepository(root);
  git(root, "symbolic-ref", REF, "refs/heads/main");
  expect(await watched(() => refSha(repository, REF))).toEqual([headOf(root), ["rev-parse"]]);
  writeFileSync(join(root, ".git", REF), headOf(root).slice(0, 39));
  const [, started] = await watched(() => refSha(repository, REF).catch(() => "failed"));
  expect(started).toEqual(["rev-parse"]);
});

test("takes a commit for lost where its file is gone, empty or another one's", async () => {
  const root = aRepository();
  const repository = await openRepository(root);
  git(root, "branch", "topic/one");
  const id = headOf(root);
  const other = commit(root);
  const fileOf = (sha: string): string => join(root, ".git/objects", sha.slice(0, 2), sha.slice(2));
  const bytes = readFileSync(fileOf(id));
  rmSync(fileOf(id));
  expect(await sameAsGit(repository)).toBeUndefined();
  writeFileSync(fileOf(id), readFileSync(fileOf(other)));
  expect((await watched(() => refSha(repository, REF).catch(() => undefined)))[1]).toHaveLength(1);
  rmSync(fileOf(id));
  writeFileSync(fileOf(id), bytes);
  expect(await sameAsGit(repository)).toBe(id);
  rmSync(fileOf(id));
  writeFileSync(fileOf(id), bytes);
  truncateSync(fileOf(id), 0);
  expect(await sameAsGit(repository)).toBeUndefined();
});

test("knows what is in a commit's past, and what it is in the past of, as far as commits lie open", async () => {
  const root = aRepository();
  const repository = await openRepository(root);
  const first = headOf(root);
  const second = commit(root);
  const third = commit(root);
  expect(await watched(() => isAncestor(repository, first, third))).toEqual([true, []]);
  expect(await watched(() => isAncestor(repository, third, third))).toEqual([true, []]);
  expect(await watched(() => isAncestor(repository, third, first))).toEqual([false, []]);
  git(root, "checkout", "-q", "--detach", second);
  const beside = commit(root, "beside");
  expect(await watched(() => isAncestor(repository, beside, third))).toEqual([
    false,
    ["merge-base"],
  ]);
  git(root, "repack", "-qad");
  expect((await watched(() => isAncestor(repository, first, third)))[0]).toBe(true);
  // Where history is cut off the commits alone do not tell.
  writeFileSync(join(root, ".git/shallow"), `${third}\n`);
  expect(await isAncestor(repository, first, third)).toBeUndefined();
});

test("says without git that no work tree is on a branch, and sees at once when one is", async () => {
  const root = aRepository();
  const repository = await openRepository(root);
  git(root, "branch", "topic/one");
  git(root, "worktree", "add", "-q", "--detach", join(aFolder(), "linked"));
  expect(await watched(() => workTreesOn(repository, "topic/one"))).toEqual([[], []]);
  git(root, "symbolic-ref", "refs/heads/alias", REF);
  git(root, "symbolic-ref", "HEAD", "refs/heads/alias");
  const [, started] = await watched(() => workTreesOn(repository, "topic/one"));
  expect(started).toEqual(["worktree"]);
  git(root, "symbolic-ref", "HEAD", REF);
  expect(await workTreesOn(repository, "topic/one")).toEqual([{ path: root, use: "checked-out" }]);
});

test("tells that a folder of refs is empty only where it is, packed refs included", async () => {
  const root = aRepository();
  const repository = await openRepository(root);
  const prefix = "refs/quasar/run/";
  expect(hasPlainlyNoRefs(repository, prefix)).toBe(true);
  git(root, "update-ref", `${prefix}1`, "HEAD");
  expect(hasPlainlyNoRefs(repository, prefix)).toBe(false);
  git(root, "pack-refs", "--all");
  rmSync(join(root, ".git/refs/quasar"), { recursive: true, force: true });
  expect(hasPlainlyNoRefs(repository, prefix)).toBe(false);
});

test("asks for commits left aside only where the reflog itself does not have them in HEAD's past", async () => {
  const root = aRepository();
  const repository = await openRepository(root);
  const wanted = { since: new Date(0), isWanted: (action: string) => action === "commit" };
  commit(root);
  const kept = commit(root);
  expect(await watched(() => commitsLeftAside(repository, wanted))).toEqual([[], ["log"]]);
  write(root, "aside.txt", "aside\n");
  git(root, "add", "-A");
  const aside = commit(root);
  git(root, "reset", "-q", "--hard", kept);
  expect(await commitsLeftAside(repository, wanted)).toEqual([aside]);
});

test("reads settings anew as soon as one of their files holds something else, and not before", async () => {
  const root = aRepository();
  const seen = (): Promise<readonly [unknown, readonly string[]]> =>
    watched(() => dirtyPaths(root));
  await seen();
  expect((await seen())[1]).toEqual(["status"]);
  git(root, "config", "core.autocrlf", "false");
  expect((await seen())[1]).toEqual(["config", "status"]);
  expect((await seen())[1]).toEqual(["status"]);
  // Linked work trees have the same settings, until one has some of its own.
  const linked = join(aFolder(), "linked");
  git(root, "worktree", "add", "-q", "--detach", linked);
  expect((await watched(() => dirtyPaths(linked)))[1]).toEqual(["status"]);
  git(root, "config", "extensions.worktreeConfig", "true");
  git(linked, "config", "--worktree", "filter.x.clean", "cat");
  await watched(() => dirtyPaths(root));
  expect((await watched(() => dirtyPaths(linked)))[1]).toEqual(["config", "status"]);
  // What an included file holds counts as well, also one that is not there yet.
  const file = join(aFolder(), "included");
  git(root, "config", "include.path", file);
  await seen();
  await seen();
  expect((await seen())[1]).toEqual(["status"]);
  writeFileSync(file, "[core]\n\tautocrlf = input\n");
  expect((await seen())[1]).toEqual(["config", "status"]);
  // A condition may be about more than files.
  git(root, "config", "includeIf.onbranch:main.path", file);
  await seen();
  expect((await seen())[1]).toEqual(["config", "status"]);
});
