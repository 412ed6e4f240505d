import { existsSync, readdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { addDetachedWorkTree, checkOutCommit } from "../../src/landing/detached-work-trees.ts";
import { quarantineRepositories } from "../../src/landing/quarantine-repositories.ts";
import { unpushedSubmodules } from "../../src/landing/unpushed-submodules.ts";
import { openRepository, operationInProgress, type Repository } from "../../src/repository.ts";
import { aFolder, aRepository, git, headOf, read, tryGit, write } from "../fixture.ts";

const MODULES = '[submodule "sub"]\n\tpath = sub\n\turl = ./sub\n';

/** A repository in a folder, with a commit that has a file of this text. */
function commitIn(folder: string, text: string): string {
  if (!existsSync(join(folder, ".git"))) aRepository(folder);
  write(folder, "f", text);
  git(folder, "add", "-A");
  git(folder, "commit", "-qm", text);
  return headOf(folder);
}

/** A work tree with a submodule that is filled. */
async function aTree(): Promise<{ tree: Repository; path: string; sub: string }> {
  const root = aRepository();
  write(root, ".gitmodules", MODULES);
  commitIn(join(root, "sub"), "base");
  git(root, "add", "-A");
  git(root, "commit", "-qm", "With a submodule");
  const path = join(aFolder(), "p");
  const tree = await addDetachedWorkTree(await openRepository(root), {
    path,
    commit: headOf(root),
  });
  return { tree, path, sub: join(path, "sub") };
}

test("moves repositories out of a work tree that are not at what it names, with all that they hold", async () => {
  const { path, sub } = await aTree();
  expect(await quarantineRepositories(path)).toBeUndefined();
  const theirs = commitIn(sub, "an agent's");
  const own = commitIn(join(path, "deep", "own"), "own");
  write(path, "untracked", "x");
  const left = (await quarantineRepositories(path)) ?? "";
  expect(left.startsWith(`${path}.left-`)).toBe(true);
  expect(headOf(join(left, "sub"))).toBe(theirs);
  expect(headOf(join(left, "deep", "own"))).toBe(own);
  expect(readdirSync(sub)).toEqual([]);
  expect(git(path, "status", "--porcelain")).toBe("?? untracked\n");
});

test("names submodules whose commit no remote has", async () => {
  const { path, sub } = await aTree();
  expect(await unpushedSubmodules(path)).toEqual([]);
  const commit = commitIn(sub, "an agent's");
  expect(await unpushedSubmodules(path)).toEqual(["sub"]);
  git(sub, "update-ref", "refs/remotes/origin/main", commit);
  expect(await unpushedSubmodules(path)).toEqual([]);
});

test("names submodules with a branch that no remote has, also within others, and follows no link", async () => {
  const { path, sub } = await aTree();
  const pushed = commitIn(sub, "pushed");
  git(sub, "update-ref", "refs/remotes/origin/main", pushed);
  commitIn(sub, "on a branch");
  git(sub, "checkout", "-q", "--detach", pushed);
  expect(await unpushedSubmodules(path)).toEqual(["sub"]);
  git(sub, "update-ref", "refs/remotes/origin/other", "main");
  expect(await unpushedSubmodules(path)).toEqual([]);
  write(sub, ".gitmodules", MODULES);
  commitIn(join(sub, "sub"), "within");
  symlinkSync(".", join(path, "link"));
  write(
    path,
    ".gitmodules",
    `${MODULES}[submodule "."]\n\tpath = .\n[submodule "l"]\n\tpath = link\n`,
  );
  expect(await unpushedSubmodules(path)).toEqual(["sub/sub"]);
});

const OPERATIONS = [
  ["rebase", ["-c", "sequence.editor=sed -i 1ibreak", "rebase", "-i", "HEAD~1"]],
  ["bisect", ["bisect", "start"]],
  ["cherry-pick", ["cherry-pick", "other"]],
  ["revert", ["revert", "HEAD~1"]],
  ["merge", ["merge", "other"]],
] as const;

test.for(OPERATIONS)("has git forget a %s that is under way", async ([operation, args]) => {
  const root = aRepository();
  const texts = ["one", "two", "three"];
  const [first = "", , last = ""] = texts.map((text) => commitIn(root, text));
  git(root, "switch", "-q", "-c", "other", first);
  commitIn(root, "other");
  const path = join(aFolder(), "p");
  const made = { path, commit: last };
  const tree = await addDetachedWorkTree(await openRepository(root), made);
  tryGit(path, ...args);
  expect(await operationInProgress(tree)).toBe(operation);
  await checkOutCommit(tree, last);
  expect(await operationInProgress(tree)).toBeUndefined();
  expect(headOf(path)).toBe(last);
  expect(read(path, "f")).toBe("three");
  expect(git(path, "status", "--porcelain")).toBe("");
});
