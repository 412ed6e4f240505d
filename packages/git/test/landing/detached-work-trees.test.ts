import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { basename, join } from "node:path";
import { expect, test } from "vitest";
import {
  addDetachedWorkTree,
  checkOutCommit,
  removeDetachedWorkTree,
  repairWorkTrees,
} from "../../src/landing/detached-work-trees.ts";
import { openRepository, type Repository } from "../../src/repository.ts";
import { listWorktrees } from "../../src/worktree.ts";
import { aFolder, failureCode, git, headOf, read, script, write } from "../fixture.ts";
import { lose, twoSides } from "./fixture.ts";

interface Scene {
  readonly root: string;
  readonly repository: Repository;
  readonly ours: string;
  readonly theirs: string;
  /** Of the work trees. */
  readonly folder: string;
}

async function aScene(): Promise<Scene> {
  const sides = twoSides({ f: "f" }, { "d/a": "a" }, { b: "b" });
  return { ...sides, repository: await openRepository(sides.root), folder: aFolder() };
}

const NOTHING = { removed: [], quarantined: [] };

test("makes a whole work tree on no branch, and leaves the others alone", async () => {
  const { root, repository, theirs, folder } = await aScene();
  write(root, "f", "dirty");
  const path = join(folder, "a", "p");
  const made = await addDetachedWorkTree(repository, { path, commit: theirs });
  expect(made.root).toBe(path);
  expect(headOf(path)).toBe(theirs);
  expect(git(path, "status", "--porcelain")).toBe("");
  expect(read(path, "b")).toBe("b");
  expect((await listWorktrees(root)).at(-1)).toEqual({ path, branch: undefined, lock: undefined });
  expect(git(root, "status", "--porcelain")).toBe(" M f\n");
  expect(await repairWorkTrees(repository, folder)).toEqual({
    ...NOTHING,
    quarantined: [expect.stringMatching(/\/a\.left-/u)],
  });
});

test.for([
  ["of the user's work tree", ["sparse-checkout", "set", "--cone", "d"]],
  ["without cones", ["sparse-checkout", "set", "--no-cone", "/d/", "!/b"]],
  ["of all work trees", ["config", "core.sparseCheckout", "true"]],
] as const)("holds all of the commit under a sparse checkout %s", async ([, args]) => {
  const { root, repository, ours, theirs, folder } = await aScene();
  git(root, ...args);
  write(root, ".git/info/sparse-checkout", "/d/\n");
  git(root, "read-tree", "-mu", "HEAD");
  const settings = git(root, "config", "--list", "--show-origin");
  const seen = readdirSync(root);
  const path = join(folder, "p");
  const made = await addDetachedWorkTree(repository, { path, commit: theirs });
  expect([read(path, "b"), read(path, "f")]).toEqual(["b", "f"]);
  write(path, "new/file", "new");
  git(path, "add", "new/file");
  expect(git(path, "status", "--porcelain")).toBe("A  new/file\n");
  await checkOutCommit(made, ours);
  expect([read(path, "d/a"), read(path, "f")]).toEqual(["a", "f"]);
  expect(readdirSync(root)).toEqual(seen);
  expect(git(root, "config", "--list", "--show-origin")).toBe(settings);
});

test("moves one to another commit, whatever was changed in it", async () => {
  const { repository, ours, theirs, folder } = await aScene();
  const path = join(folder, "p");
  const made = await addDetachedWorkTree(repository, { path, commit: theirs });
  write(path, "f", "changed");
  write(path, "d", "in the way");
  write(path, "untracked", "stays");
  git(path, "add", "f");
  rmSync(join(path, "b"));
  await checkOutCommit(made, ours);
  expect(headOf(path)).toBe(ours);
  expect(git(path, "status", "--porcelain")).toBe("?? untracked\n");
  expect(read(path, "d/a")).toBe("a");
});

test("does not check out in a repository that somebody has put in place of Quasar's own", async () => {
  const { repository, ours, theirs, folder } = await aScene();
  const path = join(folder, "p");
  const made = await addDetachedWorkTree(repository, { path, commit: theirs });
  const { root: other } = twoSides({ f: "f" }, {}, {});
  const before = git(other, "rev-parse", "--symbolic-full-name", "HEAD");
  write(path, ".git", `gitdir: ${other}/.git\n`);
  expect(await failureCode(checkOutCommit(made, ours))).toBe("ERR_FOREIGN_WORK_TREE");
  expect(git(other, "rev-parse", "--symbolic-full-name", "HEAD")).toBe(before);
});

test("refuses a folder that holds something, and a commit that is not here", async () => {
  const { root, repository, theirs, folder } = await aScene();
  write(folder, "p/file", "mine");
  const taken = { path: join(folder, "p"), commit: theirs };
  expect(await failureCode(addDetachedWorkTree(repository, taken))).toBe("ERR_GIT_FAILED");
  expect(read(folder, "p/file")).toBe("mine");
  const lost = { path: join(folder, "q"), commit: "1".repeat(40) };
  expect(await failureCode(addDetachedWorkTree(repository, lost))).toBe("ERR_MISSING_OBJECT");
  expect(await listWorktrees(root)).toHaveLength(1);
});

test("makes one again where its folder is gone, or was never finished", async () => {
  const { repository, ours, theirs, folder } = await aScene();
  const path = join(folder, "p");
  await addDetachedWorkTree(repository, { path, commit: ours });
  rmSync(path, { recursive: true });
  await addDetachedWorkTree(repository, { path, commit: theirs });
  expect(headOf(path)).toBe(theirs);
  expect(await repairWorkTrees(repository, folder)).toEqual(NOTHING);
});

test("takes one away that was never finished", async () => {
  const { root, repository, theirs, folder } = await aScene();
  const path = join(folder, "p");
  lose(root, "theirs:b");
  const making = { path, commit: theirs };
  expect(await failureCode(addDetachedWorkTree(repository, making))).toBe("ERR_MISSING_OBJECT");
  expect(existsSync(path)).toBe(true);
  expect(await repairWorkTrees(repository, folder)).toEqual({ ...NOTHING, removed: [path] });
  expect(existsSync(path)).toBe(false);
  expect(await listWorktrees(root)).toHaveLength(1);
  expect(await repairWorkTrees(repository, folder)).toEqual(NOTHING);
});

test("takes one away in whose making git itself was killed", async () => {
  const { root, repository, folder } = await aScene();
  const path = join(folder, "p");
  git(root, "worktree", "add", "-q", "--detach", "--lock", "--reason", "initializing", path);
  expect(await repairWorkTrees(repository, folder)).toEqual({ ...NOTHING, removed: [path] });
});

test("leaves those alone that are whole, by whichever way they are reached", async () => {
  const { repository, theirs, folder } = await aScene();
  await addDetachedWorkTree(repository, { path: join(folder, "p"), commit: theirs });
  const link = join(aFolder(), "link");
  symlinkSync(folder, link);
  expect(await repairWorkTrees(repository, link)).toEqual(NOTHING);
});

test("leaves whole ones alone, also if they are locked, and all that are elsewhere", async () => {
  const { root, repository, theirs, folder } = await aScene();
  const kept = join(folder, "kept");
  await addDetachedWorkTree(repository, { path: kept, commit: theirs });
  git(root, "worktree", "lock", "--reason", "mine", kept);
  const elsewhere = join(aFolder(), "gone");
  git(root, "worktree", "add", "-q", "--detach", elsewhere);
  rmSync(elsewhere, { recursive: true });
  expect(await repairWorkTrees(repository, folder)).toEqual(NOTHING);
  expect(await listWorktrees(root)).toHaveLength(3);
});

test("forgets those without a folder, and renames what is none of the repository's", async () => {
  const { root, repository, theirs, folder } = await aScene();
  const at = (name: string): string => join(folder, name);
  for (const name of ["gone", "unlinked", "moved", "empty"]) {
    await addDetachedWorkTree(repository, { path: at(name), commit: theirs });
    write(at(name), "work", name);
  }
  rmSync(at("gone"), { recursive: true });
  rmSync(join(at("unlinked"), ".git"));
  renameSync(at("moved"), at("elsewhere"));
  rmSync(at("empty"), { recursive: true });
  mkdirSync(at("empty"));
  write(at("stranger"), "work", "stranger");
  git(root, "clone", "-q", root, at("clone"));
  write(folder, "file", "not a folder");
  symlinkSync(root, at("link"));
  symlinkSync("nowhere", at("dangling"));
  const { removed, quarantined } = await repairWorkTrees(repository, folder);
  expect(removed.toSorted()).toEqual(["empty", "gone", "moved", "unlinked"].map(at));
  const names = quarantined.map((path) => path.replace(/\.left-[\dTZ.-]+$/u, ""));
  expect(names.toSorted()).toEqual(
    ["clone", "dangling", "elsewhere", "link", "stranger", "unlinked"].map(at),
  );
  expect(quarantined.filter((path) => existsSync(join(path, "work")))).toHaveLength(3);
  expect(await listWorktrees(root)).toHaveLength(1);
  expect(await repairWorkTrees(repository, folder), "once").toEqual(NOTHING);
  expect(readdirSync(folder)).toContain("file");
  expect(await repairWorkTrees(repository, join(folder, "missing"))).toEqual(NOTHING);
});

test("syncs what it has written", async () => {
  const { repository, theirs, folder } = await aScene();
  const bin = aFolder();
  const path = join(folder, "p");
  script(bin, "sync", `echo "$* $(ls '${path}')" >> '${bin}/log'`);
  const before = process.env["PATH"];
  process.env["PATH"] = `${bin}:${before}`;
  try {
    await addDetachedWorkTree(repository, { path, commit: theirs });
  } finally {
    process.env["PATH"] = before;
  }
  const [args] = process.platform === "linux" ? [`-f ${path}`] : [""];
  expect(read(bin, "log")).toBe(`${args} b\nf\n`);
});

test("does not write where the repository says that its work tree is", async () => {
  const { root, repository, theirs, folder } = await aScene();
  const other = aFolder();
  git(root, "config", "core.worktree", other);
  const path = join(folder, "p");
  await Promise.allSettled([addDetachedWorkTree(repository, { path, commit: theirs })]);
  expect(readdirSync(other)).toEqual([]);
});

test("removes one with all that is in it", async () => {
  const { root, repository, ours, folder } = await aScene();
  const path = join(folder, "p");
  await addDetachedWorkTree(repository, { path, commit: ours });
  write(path, "untracked", "goes");
  await removeDetachedWorkTree(repository, path);
  expect(existsSync(path)).toBe(false);
  expect(await listWorktrees(root)).toHaveLength(1);
});

test.for([["f"], [".git", "f"]])(
  "what a crash has left of one that was being removed, without %j, goes and is not kept",
  async (gone) => {
    const { root, repository, ours, folder } = await aScene();
    const path = join(folder, "p");
    await addDetachedWorkTree(repository, { path, commit: ours });
    git(root, "worktree", "lock", "--reason", "being removed by quasar", path);
    for (const name of gone) rmSync(join(path, name));
    expect(await repairWorkTrees(repository, folder)).toEqual({ ...NOTHING, removed: [path] });
    expect(existsSync(path)).toBe(false);
    expect(await listWorktrees(root)).toHaveLength(1);
  },
);

test("removes one whose removal has failed before", async () => {
  const { root, repository, ours, folder } = await aScene();
  const path = join(folder, "p");
  await addDetachedWorkTree(repository, { path, commit: ours });
  git(root, "worktree", "lock", "--reason", "being removed by quasar", path);
  await removeDetachedWorkTree(repository, path);
  expect(existsSync(path)).toBe(false);
});

test("leaves one that somebody has locked", async () => {
  const { root, repository, ours, folder } = await aScene();
  const path = join(folder, "p");
  await addDetachedWorkTree(repository, { path, commit: ours });
  git(root, "worktree", "lock", "--reason", "mine", path);
  expect(await failureCode(removeDetachedWorkTree(repository, path))).toBe("ERR_GIT_FAILED");
  expect(existsSync(path)).toBe(true);
});

test.for([{ empty: ["locked"] }, { empty: ["locked", "commondir"] }])(
  "what a power cut has left of one that was being made, with $empty empty, goes",
  async ({ empty }) => {
    const { root, repository, ours, folder } = await aScene();
    const path = join(folder, "p");
    const how = ["--detach", "--no-checkout", "--lock", "--reason", "being made by quasar"];
    git(root, "worktree", "add", "-q", ...how, path, ours);
    for (const name of empty) write(root, `.git/worktrees/p/${name}`, "");
    await repairWorkTrees(repository, folder);
    expect(existsSync(path)).toBe(false);
    expect(await listWorktrees(root)).toHaveLength(1);
    const made = await addDetachedWorkTree(repository, { path, commit: ours });
    expect(headOf(made.root)).toBe(ours);
  },
);

test("leaves one that somebody has locked without a reason", async () => {
  const { root, repository, ours, folder } = await aScene();
  const path = join(folder, "p");
  await addDetachedWorkTree(repository, { path, commit: ours });
  git(root, "worktree", "lock", path);
  expect(await repairWorkTrees(repository, folder)).toEqual(NOTHING);
  expect(await failureCode(removeDetachedWorkTree(repository, path))).toBe("ERR_GIT_FAILED");
  expect(existsSync(path)).toBe(true);
});

test("waits for one that another git is just making", async () => {
  const { root, repository, ours, folder } = await aScene();
  await addDetachedWorkTree(repository, { path: join(folder, "p"), commit: ours });
  write(root, ".git/worktrees/p/commondir", "");
  setTimeout(() => write(root, ".git/worktrees/p/commondir", "../..\n"), 200);
  expect(await listWorktrees(root)).toHaveLength(2);
});

test("takes one away whose record a git that was killed has not finished", async () => {
  const { root, repository, folder } = await aScene();
  const path = join(folder, "p");
  git(root, "worktree", "add", "-q", "--detach", "--lock", "--reason", "initializing", path);
  write(root, ".git/worktrees/p/commondir", "");
  const { quarantined } = await repairWorkTrees(repository, folder);
  expect(quarantined).toEqual([expect.stringMatching(/\/p\.left-/u)]);
  expect(await listWorktrees(root)).toHaveLength(1);
});

test("a record that leads out of the folder is left alone", async () => {
  const { root, repository, ours, folder } = await aScene();
  const path = join(folder, "p");
  await addDetachedWorkTree(repository, { path, commit: ours });
  const other = aFolder();
  write(other, "f", "somebody's");
  const out = join("..", basename(other), ".git");
  write(root, ".git/worktrees/p/gitdir", `${folder}/${out}\n`);
  await repairWorkTrees(repository, folder);
  expect(read(other, "f")).toBe("somebody's");
});
