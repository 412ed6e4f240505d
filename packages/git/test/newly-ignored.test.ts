import { mkdirSync, renameSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { ignoredFiles } from "../src/ignored-files.ts";
import { type NewlyIgnored, newlyIgnored } from "../src/newly-ignored.ts";
import { treeToCommit } from "../src/tree-to-commit.ts";
import { aRepository, git, headOf, write } from "./fixture.ts";

/** A repository in which files lie, and what a look finds of what happens to it after. */
async function found(
  rules: string,
  before: Readonly<Record<string, string>>,
  act: (root: string) => void,
): Promise<NewlyIgnored> {
  const root = aRepository();
  write(root, ".gitignore", rules);
  for (const [path, content] of Object.entries(before)) write(root, path, content);
  git(root, "add", "-A");
  git(root, "commit", "-qm", "before");
  const from = headOf(root);
  await sleep(30); // further than a tick of the kernel
  const since = new Date();
  act(root);
  return newlyIgnored({ root }, since, {
    work: async () => ({ from, to: await treeToCommit(root) }),
  });
}

const move = (root: string, from: string, to: string): void =>
  renameSync(join(root, from), join(root, to));

test("a file that was moved to an ignored name is named, though it is older", async () => {
  const act = (root: string): void => move(root, "median.py", "x.local.py");
  const { paths } = await found("*.local.py\n", { "median.py": "1\n" }, act);
  expect(paths).toEqual(["x.local.py"]);
});

test("a folder that was moved to an ignored name is named, though what is in it is older", async () => {
  const act = (root: string): void => move(root, "src", "lib");
  const { paths } = await found("lib/\n", { "src/a/median.py": "1\n" }, act);
  expect(paths).toEqual(["lib/"]);
});

test("what was moved into an ignored folder that was there is named", async () => {
  const before = { "median.py": "1\n", "notes/old.py": "1\n" };
  const act = (root: string): void => move(root, "median.py", "notes/m.py");
  const { paths } = await found("notes/\n", before, act);
  expect(paths).toEqual(["notes/m.py"]);
});

test.for([
  ["from build.m import median"],
  ["from build import m"],
  ["exec(open('build/m.py').read())"],
  ["load(Path('build') / 'm.py')"],
  ["sys.path.insert(0, 'build'); from m import median"],
])("a file among build outputs is named where a line of the work does: %s", async ([line]) => {
  const before = { "median.py": "1\n", "build/old.py": "1\n" };
  const { paths } = await found("build/\n", before, (root) => {
    move(root, "median.py", "build/m.py");
    write(root, "median.py", `${line}\n`);
    write(root, "build/made.py", "by a tool\n");
  });
  expect(paths).toEqual(["build/m.py"]);
});

test("what tools make beside the work is not named", async () => {
  const before = { "src/median.ts": "1\n", "dist/old.js": "1\n", "data/cache.bin": "1\n" };
  const rules = "dist/\ntarget/\nnode_modules/\ndata/\n.next/\nvenv2/\n*.db\n*.pyc\n*.d.ts\n";
  const { paths } = await found(rules, before, (root) => {
    write(root, "src/median.ts", 'import { a } from "./median.js"; // build, dist, index\n');
    for (const path of [
      "dist/median.js",
      "dist/index.js",
      "target/debug/a.rs",
      "test.db",
      "a.d.ts",
    ])
      write(root, path, "made\n");
    for (const path of ["node_modules/m/median.js", ".next/m.js", "a/__pycache__/m.pyc"])
      write(root, path, "made\n");
    write(root, "venv2/pyvenv.cfg", "");
    write(root, "venv2/lib/m.py", "made\n");
    write(root, "data/cache.bin", "changed\n");
  });
  expect(paths).toEqual([]);
});

test("of many files in one ignored folder that was there the folder is named", async () => {
  const { paths } = await found("notes/\n", { "notes/old.py": "1\n" }, (root) => {
    for (const name of ["a", "b", "c", "d"]) write(root, `notes/${name}.py`, "1\n");
  });
  expect(paths).toEqual(["notes/"]);
});

test("a new ignored folder without a file of work in it is not named", async () => {
  const { paths } = await found("lib/\n", { "a.txt": "1\n" }, (root) => {
    mkdirSync(join(root, "lib/empty"), { recursive: true });
    write(root, "lib/__pycache__/a.pyc", "made\n");
  });
  expect(paths).toEqual([]);
});

test("the look at ignored files ends at its bound, and says that there are more", async () => {
  const root = aRepository();
  write(root, ".gitignore", "notes/\n");
  for (let n = 0; n < 5; n += 1) write(root, `notes/${n}.py`, "1\n");
  const count = async (most: number): Promise<readonly [number, boolean]> => {
    const { entries, isCut } = await ignoredFiles({ root }, { most });
    return [entries.flatMap(({ files }) => files).length, isCut];
  };
  expect(await count(6)).toEqual([5, false]);
  expect(await count(4)).toEqual([3, true]);
});
