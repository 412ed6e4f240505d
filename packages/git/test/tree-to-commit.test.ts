import { rmSync } from "node:fs";
import { expect, test } from "vitest";
import { commitAll, treeOfCommit, treeToCommit } from "../src/index.ts";
import { aRepository, anEmptyRepository, git, headOf, read, script, write } from "./fixture.ts";
import { filesOf, untouched } from "./untouched.ts";

const headTree = (root: string): string => git(root, "rev-parse", "HEAD^{tree}").trim();

test("is the tree of the commit of everything, whatever git converts on the way", async () => {
  const root = aRepository();
  write(root, ".gitattributes", "*.txt text=auto eol=lf\n*.up filter=up\n");
  git(root, "config", "filter.up.clean", "tr a-z A-Z");
  write(root, "a.txt", "two\r\n");
  write(root, "b.up", "loud\n");
  write(root, ".quasar/state", "ours");
  const before = [untouched(root), filesOf(root)];

  const tree = await treeToCommit(root);

  expect([untouched(root), filesOf(root)]).toEqual(before);
  await commitAll(root, { subject: "all", exclude: [".quasar"] });
  expect(headTree(root)).toBe(tree);
  expect(await treeOfCommit(root, headOf(root))).toBe(tree);
  expect(git(root, "show", `${tree}:b.up`)).toBe("LOUD\n");
});

test("is git's empty tree where there is nothing, and no commit has it", async () => {
  const root = anEmptyRepository();
  expect(await treeToCommit(root)).toBe("4b825dc642cb6eb9a060e54bf8d69288fbee4904");
  expect(await treeOfCommit(root, "0".repeat(40))).toBeUndefined();
});

test("has what git was told to take as unchanged as it is on disk", async () => {
  const root = aRepository();
  git(root, "update-index", "--assume-unchanged", "a.txt");
  write(root, "a.txt", "other\n");
  expect(git(root, "show", `${await treeToCommit(root)}:a.txt`)).toBe("other\n");
});

test("a tree that was written is committed as it was, and what has changed since stays uncommitted", async () => {
  const root = aRepository();
  write(root, "a.txt", "checked\n");
  write(root, "new.txt", "new\n");
  const tree = await treeToCommit(root);
  write(root, "a.txt", "later\n");
  write(root, "later.txt", "later\n");
  rmSync(`${root}/new.txt`);

  const sha = await commitAll(root, { subject: "as checked", tree });

  expect(sha).toBe(headOf(root));
  expect(headTree(root)).toBe(tree);
  expect(read(root, "a.txt")).toBe("later\n");
  expect(git(root, "status", "--porcelain")).toBe(" M a.txt\n D new.txt\n?? later.txt\n");
  expect(await commitAll(root, { subject: "again", tree })).toBeUndefined();
});

test("a git hook runs on the tree that is committed, and what it stages is in the commit", async () => {
  const root = aRepository();
  script(root, ".git/hooks/pre-commit", "git show :a.txt > seen && git add seen");
  write(root, "a.txt", "checked\n");
  const tree = await treeToCommit(root);
  write(root, "a.txt", "later\n");
  await commitAll(root, { subject: "as checked", tree });
  expect(git(root, "show", "HEAD:seen")).toBe("checked\n");
  expect(headTree(root)).not.toBe(tree);
});
