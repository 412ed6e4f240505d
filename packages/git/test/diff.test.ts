import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { diffTrees } from "../src/diff.ts";
import { aFolder, git, write } from "./fixture.ts";

function aRepository(): string {
  const root = aFolder();
  git(root, "init");
  write(root, "a.txt", "one\n");
  git(root, "add", "-A");
  git(root, "commit", "-m", "first");
  return root;
}

function commit(root: string, path: string, content: string): string {
  write(root, path, content);
  git(root, "add", "-A");
  git(root, "commit", "-m", path);
  return git(root, "rev-parse", "HEAD").trim();
}

test("tells what differs between two commits, and nothing where nothing does", async () => {
  const root = aRepository();
  const first = git(root, "rev-parse", "HEAD").trim();
  const second = commit(root, "b.txt", "two\n");
  const tree = git(root, "rev-parse", "HEAD^{tree}").trim();
  const found = await diffTrees(root, first, second);
  const { stat, text } = found;
  expect(stat).toContain("b.txt | 1 +");
  expect(stat).not.toContain("diff --git");
  expect(text).toContain("+two\n");
  expect(text).not.toContain("a.txt");
  expect(await diffTrees(root, first, tree)).toEqual(found);
  const none = await diffTrees(root, second, second);
  expect(none).toMatchObject({ stat: "", text: "" });
  expect(none.patch).toHaveLength(0);
});

test("tells binary files apart to the byte", async () => {
  const root = aRepository();
  const from = git(root, "rev-parse", "HEAD").trim();
  const one = commit(root, "b.bin", "\u0000\u0001");
  const other = commit(root, "b.bin", "\u0000\u0002");
  expect(await diffTrees(root, from, one)).not.toEqual(await diffTrees(root, from, other));
});

test("shows what the repository marks as binary, and what it hides from its own diffs", async () => {
  const root = aRepository();
  const from = git(root, "rev-parse", "HEAD").trim();
  write(root, ".gitattributes", "* -diff\n");
  write(root, ".git/info/attributes", "* binary\n");
  const to = commit(root, "a.txt", "two\n");
  expect(git(root, "diff", from)).not.toContain("+two");
  const { stat, text } = await diffTrees(root, from, to);
  expect(text).toContain("+two\n");
  expect(stat).toContain("a.txt          | 2 +-");
});

test("looks at objects of either kind, and leaves nothing behind", async () => {
  const temporary = aFolder();
  vi.stubEnv("TMPDIR", temporary);
  onTestFinished(() => void vi.unstubAllEnvs());
  for (const format of ["sha1", "sha256"]) {
    const root = aFolder();
    git(root, "init", `--object-format=${format}`);
    const from = commit(root, "a.txt", "one\n");
    const to = commit(root, "a.txt", "two\n");
    expect((await diffTrees(root, from, to)).text).toContain("-one\n+two\n");
  }
  expect(readdirSync(temporary)).toEqual([]);
});

test("starts no program that the repository names for its diffs", async () => {
  const root = aRepository();
  const from = git(root, "rev-parse", "HEAD").trim();
  const canary = join(root, "..", "canary");
  git(root, "config", "diff.external", `touch ${canary} #`);
  git(root, "config", "diff.evil.command", `touch ${canary} #`);
  git(root, "config", "diff.evil.textconv", `touch ${canary} #`);
  const to = commit(root, ".gitattributes", "* diff=evil\n");
  const { text } = await diffTrees(root, from, commit(root, "a.txt", "two\n"));
  expect(text).toContain("+two");
  expect(to).not.toBe(from);
  expect(existsSync(canary)).toBe(false);
  git(root, "diff", from);
  expect(existsSync(canary)).toBe(true);
});

test.for(["HEAD", "--output=x", "main", ""])(
  "refuses %j, which is no full id",
  async (revision) => {
    const root = aRepository();
    const head = git(root, "rev-parse", "HEAD").trim();
    await expect(diffTrees(root, revision, head)).rejects.toMatchObject({
      code: "ERR_BAD_REVISION",
    });
  },
);
