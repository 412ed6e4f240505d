import { readFileSync } from "node:fs";
import { join } from "node:path";
import { chmodSync, existsSync, rmSync, symlinkSync } from "node:fs";
import { expect, test } from "vitest";
import { listSnapshots, takeSnapshot } from "../src/index.ts";
import { aRepository, git, headOf, tryGit, write } from "./fixture.ts";

const prefix = "refs/quasar/run-1/";

/** All that a snapshot must leave as it is. */
function untouched(root: string): readonly unknown[] {
  const index = join(root, ".git/index");
  return [
    existsSync(index) ? readFileSync(index).toString("base64") : "none",
    readFileSync(join(root, ".git/HEAD"), "utf8"),
    git(root, "for-each-ref", "refs/heads", "refs/stash"),
    existsSync(join(root, ".git/logs/HEAD"))
      ? readFileSync(join(root, ".git/logs/HEAD"), "utf8")
      : "",
    git(root, "stash", "list"),
    git(root, "--no-optional-locks", "status", "--porcelain=v2", "--branch"),
  ];
}

test("keeps what is not committed and leaves everything as it is", async () => {
  const root = aRepository();
  write(root, "gone", "");
  write(root, "run.sh", "");
  git(root, "add", "-A");
  git(root, "commit", "-qm", "second");
  rmSync(join(root, "gone"));
  chmodSync(join(root, "run.sh"), 0o755);
  write(root, "a.txt", "two\r\n");
  write(root, 'dir/new\nfile "q" é', "new");
  write(root, ".quasar/x", "");
  write(root, ".gitignore", "ignored\n");
  write(root, "ignored", "");
  symlinkSync("a.txt", join(root, "link"));
  const before = untouched(root);
  const taken = await takeSnapshot(root, { prefix, message: "before" });
  expect(untouched(root)).toEqual(before);
  expect(taken).toMatchObject({ n: 1, ref: `${prefix}1`, head: headOf(root), message: "before" });
  const tree = git(root, "ls-tree", "-r", "-z", `${prefix}1`).split("\0").slice(0, -1);
  expect(tree.map((line) => line.replace(/ blob \S+\t/, " "))).toEqual([
    "100644 .gitignore",
    "100644 a.txt",
    '100644 dir/new\nfile "q" é',
    "120000 link",
    "100755 run.sh",
  ]);
  expect(git(root, "show", `${prefix}1:a.txt`)).toBe("two\r\n");
  expect(await takeSnapshot(root, { prefix, message: "again" })).toMatchObject({ n: 2 });
  expect((await listSnapshots(root, prefix)).map(({ n }) => n)).toEqual([1, 2]);
  tryGit(root, "fsck", "--strict");
});
