import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";
import { workTreesOn } from "../../src/landing/work-trees-on.ts";
import { openRepository } from "../../src/repository.ts";
import { aFolder, failureCode, git, tryGit, write } from "../fixture.ts";
import { commit, lines, twoSides } from "./fixture.ts";

const BRANCH = "nebula/x";

interface Scene {
  readonly root: string;
  readonly linked: string;
}

/** A repository with the branch, which is ahead of `theirs` and conflicts with it, and another work tree. */
function aScene(): Scene {
  const { root } = twoSides(
    { f: lines() },
    { f: lines({ 5: "ours" }) },
    { f: lines({ 5: "theirs" }) },
  );
  git(root, "branch", BRANCH);
  const linked = join(aFolder(), "lin\nked");
  git(root, "worktree", "add", "-q", "--detach", linked);
  return { root, linked };
}

const USES: readonly (readonly [name: string, begin: (tree: string) => void, use: string])[] = [
  ["has it checked out", (tree) => git(tree, "checkout", "-q", BRANCH), "checked-out"],
  ["rebases it", (tree) => tryGit(tree, "rebase", "-q", "--merge", "theirs", BRANCH), "rebase"],
  [
    "rebases it by patches",
    (tree) => tryGit(tree, "rebase", "--apply", "theirs", BRANCH),
    "rebase",
  ],
  [
    "rebases a branch on top of it, and it along",
    (tree) => {
      git(tree, "checkout", "-q", "-b", "top", BRANCH);
      commit(tree, { g: "top" });
      tryGit(tree, "rebase", "--update-refs", "theirs");
    },
    "rebase",
  ],
  [
    "bisects from it",
    (tree) => {
      git(tree, "checkout", "-q", BRANCH);
      git(tree, "bisect", "start", BRANCH, `${BRANCH}~1`);
      git(tree, "checkout", "-q", "--detach");
    },
    "bisect",
  ],
];

test.for(
  USES.flatMap(([name, begin, use]) =>
    (["root", "linked"] as const).map((where) => ({ name, begin, use, where })),
  ),
)("names the $where work tree that $name", async ({ begin, use, where }) => {
  const scene = aScene();
  const repository = await openRepository(scene.linked);
  expect(await workTreesOn(repository, BRANCH)).toEqual([]);
  const path = scene[where];
  begin(path);
  expect(await workTreesOn(repository, BRANCH)).toEqual([{ path, use }]);
  expect(await workTreesOn(repository, "nebula"), "another branch").toEqual([]);
  expect(await workTreesOn(repository, "x"), "another branch").toEqual([]);
});

test("does not wait for a pipe in the place of a file of git's", async () => {
  const { root } = aScene();
  const file = write(root, ".git/BISECT_START", "");
  execFileSync("rm", [file]);
  execFileSync("mkfifo", [file]);
  const repository = await openRepository(root);
  expect(await workTreesOn(repository, BRANCH)).toEqual([]);
  expect(await failureCode(workTreesOn(repository, "-n"))).toBe("ERR_INVALID_ARGUMENT");
});
