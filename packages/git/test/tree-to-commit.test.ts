import { copyFileSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { treeOfCommit } from "../src/commit-ids.ts";
import { commitAll } from "../src/commit.ts";
import { treeToCommit } from "../src/tree-to-commit.ts";
import {
  aFolder,
  anEmptyRepository,
  aRepository,
  git,
  headOf,
  read,
  script,
  traced,
  tryGit,
  write,
} from "./fixture.ts";
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

  const sha = (await commitAll(root, { subject: "as checked", tree }))?.sha;

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

/** By git itself, which looks at all files. */
function treeByGit(root: string): string {
  const index = join(aFolder(), "index");
  copyFileSync(join(root, ".git/index"), index);
  const indexed = (...args: string[]): string => {
    process.env["GIT_INDEX_FILE"] = index;
    try {
      return git(root, ...args);
    } finally {
      delete process.env["GIT_INDEX_FILE"];
    }
  };
  indexed("add", "-A", "--", ":/", ":(top,exclude).quasar");
  return indexed("write-tree").trim();
}

test.for<readonly [string, (root: string) => void]>([
  [
    "files changed, gone and new",
    (root) => {
      write(root, "a.txt", "two\n");
      rmSync(join(root, "dir/x"));
      write(root, "new", "");
    },
  ],
  ["a new file in a new folder", (root) => void write(root, "deep/er/new", "new")],
  ["a new file beside another, deep in the tree", (root) => void write(root, "dir/y", "new")],
  [
    "more new files than are named to git",
    (root) => {
      for (let n = 0; n < 150; n += 1) write(root, `many/${n}`, `${n}`);
    },
  ],
  [
    "a name that is no UTF-8",
    (root) =>
      writeFileSync(Buffer.concat([Buffer.from(`${root}/`), Buffer.from([0x62, 0xff])]), "bytes"),
  ],
  [
    "names that are patterns and options",
    (root) => {
      for (const name of ["*", "-A", ":(top)a", "a[b]", " "]) write(root, name, name);
    },
  ],
  [
    "a staged deletion of a file that is now ignored",
    (root) => {
      write(root, ".git/info/exclude", "dir\n");
      git(root, "rm", "-q", "--cached", "dir/x");
    },
  ],
  [
    "a file added with intent only",
    (root) => {
      write(root, "soon", "soon");
      git(root, "add", "-N", "soon");
    },
  ],
  [
    "a file staged and changed again, and one staged and gone",
    (root) => {
      write(root, "a.txt", "staged");
      write(root, "gone", "staged");
      git(root, "add", "-A");
      write(root, "a.txt", "later");
      rmSync(join(root, "gone"));
    },
  ],
  [
    "a folder in a file's place and a file in a folder's",
    (root) => {
      rmSync(join(root, "a.txt"));
      write(root, "a.txt/deep", "x");
      rmSync(join(root, "dir"), { recursive: true });
      write(root, "dir", "a file");
    },
  ],
  [
    "a merge with conflicts",
    (root) => {
      git(root, "checkout", "-qb", "other");
      write(root, "a.txt", "theirs\n");
      git(root, "rm", "-q", "dir/x");
      git(root, "commit", "-qam", "theirs");
      git(root, "checkout", "-q", "main");
      write(root, "a.txt", "ours\n");
      write(root, "dir/x", "ours");
      git(root, "commit", "-qam", "ours");
      tryGit(root, "merge", "-q", "other");
    },
  ],
  [
    "another commit of a submodule that settings leave out of a status",
    (root) => {
      git(root, "-c", "protocol.file.allow=always", "submodule", "add", "-q", aRepository(), "sub");
      git(root, "commit", "-qm", "with a submodule");
      git(root, "config", "submodule.sub.ignore", "all");
      write(root, "sub/a.txt", "two\n");
      git(join(root, "sub"), "commit", "-qam", "inside");
    },
  ],
  ["a repository within", (root) => void aRepository(join(root, "nested"))],
  [
    "a file that moved to another folder",
    (root) => {
      mkdirSync(join(root, "moved"));
      renameSync(join(root, "a.txt"), join(root, "moved/a.txt"));
    },
  ],
])("is what git makes by looking at all files, with %s", async ([, change]) => {
  const root = aRepository();
  write(root, "dir/x", "x\n");
  git(root, "add", "-A");
  git(root, "commit", "-qm", "second");
  change(root);
  const expected = treeByGit(root);
  expect(await treeToCommit(root)).toBe(expected);
});

test("keeps a cache out also where it lies in a folder that has taken a file's place", async () => {
  const root = aRepository();
  rmSync(join(root, "a.txt"));
  write(root, "a.txt/__pycache__/x.pyc", "bytes");
  write(root, "b.txt", "b");
  const tree = await treeToCommit(root);
  expect(git(root, "ls-tree", "-r", "--name-only", tree)).toBe("b.txt\n");
});

test("has git look at the files once, not again where nothing is to be staged, and then at the changed only", async () => {
  const root = aRepository();
  const looksAtAll = ({ argv }: { readonly argv: readonly string[] }): boolean =>
    argv.includes("status") || argv.includes("update-index") || argv.includes(":/");
  const clean = await traced(() => treeToCommit(root));
  expect(clean.filter(looksAtAll)).toHaveLength(1);
  expect(clean.some(({ argv }) => argv.includes("add"))).toBe(false);

  write(root, "a.txt", "two\n");
  const changed = await traced(() => treeToCommit(root));
  expect(changed.filter(looksAtAll)).toHaveLength(1);
});
