import { expect, test } from "vitest";
import { treeOfCommit } from "../src/commit-ids.ts";
import { commitAll } from "../src/commit.ts";
import { dirtyPaths } from "../src/status.ts";
import { treeToCommit } from "../src/tree-to-commit.ts";
import { readCommitState } from "../src/work.ts";
import { aRepository, git, headOf, write } from "./fixture.ts";

const committed = (root: string): readonly string[] =>
  git(root, "ls-tree", "-r", "--name-only", "HEAD").trim().split("\n");

test.for([
  ["by its name", "src/__pycache__/a.pyc", ["src/__pycache__"]],
  ["by the outermost name", "node_modules/x/node_modules/y/i.js", ["node_modules"]],
  ["by a tag in it", "target/CACHEDIR.TAG", ["target"]],
  ["as a virtual environment", "env/pyvenv.cfg", ["env"]],
  ["not by the name of a file", "node_modules", []],
  ["not by a tag at the root", "CACHEDIR.TAG", []],
  ["not by a name that a source folder may have", "target/lib.rs", []],
] as const)("an untracked folder is a cache %s", async ([, file, folders]) => {
  const root = aRepository();
  write(root, file, "");
  const { caches, dirty } = await readCommitState(root);
  expect(caches).toEqual(folders.map((path) => ({ path, status: "??" })));
  expect(dirty.map(({ path }) => path)).toEqual(folders.length === 0 ? [file] : []);
  expect(await dirtyPaths(root)).toEqual(dirty);
});

test.for(["untracked", "staged"])(
  "a cache that is %s is in no commit and in no tree",
  async (how) => {
    const root = aRepository();
    write(root, "new.txt", "new\n");
    write(root, "__pycache__/a.pyc", "cache");
    if (how === "staged") git(root, "add", "-A");
    const tree = await treeToCommit(root);
    await commitAll(root, { subject: "all" });
    expect(committed(root)).toContain("new.txt");
    expect(committed(root)).not.toContain("__pycache__/a.pyc");
    expect(await treeOfCommit(root, headOf(root))).toBe(tree);
    expect(await commitAll(root, { subject: "nothing" })).toBeUndefined();
  },
);

test("a folder in which a tracked file has changed is work, whatever it is called", async () => {
  const root = aRepository();
  write(root, "node_modules/a.js", "one");
  git(root, "add", "-A");
  git(root, "commit", "-q", "-m", "vendored");
  write(root, "node_modules/a.js", "two");
  write(root, "node_modules/b.js", "new");
  expect(await readCommitState(root)).toMatchObject({ caches: [] });
  await commitAll(root, { subject: "all" });
  expect(committed(root)).toContain("node_modules/b.js");
});

test.for(["node_modules/x", "lib/__pycache__"])(
  "new files in a folder that HEAD has files of are work: %s",
  async (folder) => {
    const root = aRepository();
    write(root, `${folder}/a.js`, "one");
    git(root, "add", "-A", "-f");
    git(root, "commit", "-q", "-m", "vendored");
    write(root, `${folder}/b.js`, "new");
    write(root, "other/__pycache__/a.pyc", "cache");
    const [only] = await dirtyPaths(root);
    expect(only?.path).toBe(`${folder}/b.js`);
    const tree = await treeToCommit(root);
    await commitAll(root, { subject: "all" });
    expect(committed(root)).toContain(`${folder}/b.js`);
    expect(committed(root)).not.toContain("other/__pycache__/a.pyc");
    expect(await treeOfCommit(root, headOf(root))).toBe(tree);
  },
);
