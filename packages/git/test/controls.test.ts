import { chmodSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type GitControls, openGitControls } from "../src/controls/controls.ts";
import { openRepository } from "../src/repository.ts";
import { aFolder, aRepository, git, write } from "./fixture.ts";

async function controlsOf(root: string): Promise<GitControls> {
  return openGitControls(await openRepository(root));
}

function hook(root: string, path: string, text = "#!/bin/sh\n"): void {
  chmodSync(write(root, path, text), 0o755);
}

/** A repository with settings and hooks of its own. */
function aSettledRepository(): string {
  const root = aRepository();
  git(root, "config", "remote.origin.url", "https://me:secret@host.example/x");
  git(root, "config", "remote.origin.fetch", "+refs/heads/*:refs/remotes/origin/*");
  git(root, "config", "branch.main.remote", "origin");
  hook(root, ".git/hooks/pre-commit");
  return root;
}

test.for<readonly [what: string, change: (root: string) => void, words: string]>([
  [
    "an address to push to",
    (root) => git(root, "config", "remote.origin.pushurl", "https://else.example/x"),
    'remote.origin.pushurl: "https://else.example/x" (was not set)',
  ],
  [
    "the login in an address",
    (root) => git(root, "config", "remote.origin.url", "https://you:other@host.example/x"),
    'remote.origin.url: "https://host.example/x" (was "https://host.example/x")',
  ],
  [
    "another address for an address",
    (root) => git(root, "config", "url.https://else.example/.pushInsteadOf", "https://host"),
    'url.https://else.example/.pushinsteadof: "https://host" (was not set)',
  ],
  [
    "a program for logins",
    (root) => git(root, "config", "credential.helper", "!evil"),
    'credential.helper: "!evil" (was not set)',
  ],
  [
    "a program that watches files",
    (root) => git(root, "config", "core.fsmonitor", "./evil"),
    'core.fsmonitor: "./evil" (was not set)',
  ],
  [
    "a pager",
    (root) => git(root, "config", "core.pager", "./evil"),
    'core.pager: "./evil" (was not set)',
  ],
  [
    "a setting that is not known here",
    (root) => git(root, "config", "hook.mine.command", "./evil"),
    'hook.mine.command: "./evil" (was not set)',
  ],
  [
    "the remote of the branch",
    (root) => git(root, "config", "branch.main.pushRemote", "else"),
    'branch.main.pushremote: "else" (was not set)',
  ],
  [
    "where the branch's work went before, and no longer does",
    (root) => git(root, "config", "--unset", "branch.main.remote"),
    'branch.main.remote: not set (was "origin")',
  ],
  [
    "the remote of a branch that HEAD names in another form",
    (root) => {
      write(root, ".git/HEAD", "ref:  refs/heads/main\n");
      git(root, "config", "branch.main.pushRemote", "else");
    },
    'branch.main.pushremote: "else" (was not set)',
  ],
  [
    "the remote of any branch where HEAD is a link",
    (root) => {
      rmSync(join(root, ".git/HEAD"));
      symlinkSync("refs/heads/main", join(root, ".git/HEAD"));
      git(root, "config", "branch.main.pushRemote", "else");
    },
    'branch.main.pushremote: "else" (was not set)',
  ],
  [
    "a new git hook",
    (root) => hook(root, ".git/hooks/pre-push"),
    "git hook .git/hooks/pre-push: new",
  ],
  [
    "another text of a git hook",
    (root) => hook(root, ".git/hooks/pre-commit", "#!/bin/sh\nevil\n"),
    "git hook .git/hooks/pre-commit: changed",
  ],
  [
    "a git hook that may no longer run",
    (root) => chmodSync(join(root, ".git/hooks/pre-commit"), 0o644),
    "git hook .git/hooks/pre-commit: changed",
  ],
  [
    "a git hook that is gone",
    (root) => rmSync(join(root, ".git/hooks/pre-commit")),
    "git hook .git/hooks/pre-commit: removed",
  ],
])("%s decides what git does", async ([, change, words]) => {
  const root = aSettledRepository();
  const controls = await controlsOf(root);
  expect(await controls.changes()).toEqual([]);
  change(root);
  expect(await controls.changes()).toEqual([{ words, decides: true }]);
  await controls.accept();
  expect(await controls.changes()).toEqual([]);
});

test.for<readonly [what: string, change: (root: string) => void, words: string]>([
  ["a name", (root) => git(root, "config", "user.name", "Me"), 'user.name: "Me" (was not set)'],
  [
    "rules that no commit holds",
    (root) => write(root, ".git/info/attributes", "* -text\n"),
    ".git/info/attributes: new",
  ],
  [
    "a graft",
    (root) => write(root, ".git/info/grafts", git(root, "rev-parse", "HEAD")),
    ".git/info/grafts: new",
  ],
  [
    "a file that git is not to look at",
    (root) => git(root, "update-index", "--skip-worktree", "a.txt"),
    "a.txt: skip-worktree",
  ],
  [
    "a file that git is to take as unchanged",
    (root) => git(root, "update-index", "--assume-unchanged", "a.txt"),
    "a.txt: assume-unchanged",
  ],
])("%s is named, and decides nothing", async ([, change, words]) => {
  const root = aSettledRepository();
  const controls = await controlsOf(root);
  change(root);
  expect(await controls.changes()).toEqual([{ words, decides: false }]);
});

test.for([false, true])("a replaced object is named (packed: %s)", async (isPacked) => {
  const root = aRepository();
  const controls = await controlsOf(root);
  const [from, to] = [git(root, "rev-parse", "HEAD:a.txt").trim(), write(root, "b", "b\n")];
  git(root, "replace", from, git(root, "hash-object", "-w", to).trim());
  if (isPacked) git(root, "pack-refs", "--all");
  expect(await controls.changes()).toEqual([
    { words: `git replace of ${from}: new`, decides: false },
  ]);
});

test("another repository for the work tree decides what git does", async () => {
  const other = join(aFolder(), "other");
  const root = aRepository();
  git(root, "worktree", "add", "-q", other);
  const controls = await controlsOf(other);
  git(root, "worktree", "add", "-q", "--force", "--detach", `${other}-copy`);
  write(other, ".git", `gitdir: ${join(root, ".git/worktrees/other-copy")}\n`);
  expect(await controls.changes()).toEqual([{ words: ".git: changed", decides: true }]);
});

test("what a file of settings includes counts, in the tree and where there was no such file", async () => {
  const root = aRepository();
  write(root, "shared", "[user]\n\tname = Me\n");
  git(root, "config", "include.path", "../shared");
  git(root, "config", "--add", "include.path", "missing");
  const controls = await controlsOf(root);
  write(root, "shared", "[core]\n\tpager = evil\n");
  write(root, ".git/missing", "[core]\n\teditor = evil\n");
  expect((await controls.changes()).map(({ words }) => words)).toEqual([
    'user.name: not set (was "Me")',
    'core.pager: "evil" (was not set)',
    'core.editor: "evil" (was not set)',
  ]);
});

test("git hooks are those of the folder that the settings name, and what husky's start", async () => {
  const root = aRepository();
  git(root, "config", "core.hooksPath", ".husky/_");
  hook(root, ".husky/_/pre-commit");
  hook(root, ".husky/pre-commit", "npm test\n");
  const controls = await controlsOf(root);
  hook(root, ".git/hooks/pre-commit", "not used\n");
  expect(await controls.changes()).toEqual([]);
  hook(root, ".husky/pre-commit", "evil\n");
  symlinkSync("/bin/true", join(root, ".husky/_/pre-push"));
  expect((await controls.changes()).map(({ words }) => words)).toEqual([
    "git hook .husky/pre-commit: changed",
    "git hook .husky/_/pre-push: new",
  ]);
});

test.skipIf(process.getuid?.() === 0).for<readonly [what: string, path: string, mode: number]>([
  ["a git hook", ".git/hooks/pre-push", 0o111],
  ["a folder of git hooks", ".git/hooks", 0o311],
])("%s that nobody may read, and git may start, is named", async ([, path, mode]) => {
  const root = aSettledRepository();
  const controls = await controlsOf(root);
  hook(root, ".git/hooks/pre-push");
  chmodSync(join(root, path), mode);
  const words = (await controls.changes()).map((change) => change.words);
  chmodSync(join(root, path), 0o755);
  expect(words).toContain(`git hook ${path}: new`);
});

test("what lies beside git hooks in the tree is work; in the git folder it is theirs", async () => {
  const root = aRepository();
  git(root, "config", "core.hooksPath", "scripts");
  git(root, "config", "--add", "core.hooksPath", "tools");
  const controls = await controlsOf(root);
  write(root, "tools/build.sh", "work\n");
  write(root, "scripts/pre-commit", "not used\n");
  expect(await controls.changes()).toEqual([]);
  hook(root, "tools/pre-commit");
  expect(await controls.changes()).toMatchObject([{ words: "git hook tools/pre-commit: new" }]);

  const other = aRepository();
  hook(other, ".git/hooks/pre-commit.d/lint");
  const within = await controlsOf(other);
  hook(other, ".git/hooks/pre-commit.d/lint", "evil\n");
  expect(await within.changes()).toMatchObject([
    { words: "git hook .git/hooks/pre-commit.d/lint: changed" },
  ]);
});

test("a git hook that a tool makes anew in another work tree is the main one's", async () => {
  const root = aRepository();
  git(root, "config", "core.hooksPath", ".husky/_");
  hook(root, ".husky/_/pre-commit");
  const other = join(aFolder(), "other");
  git(root, "worktree", "add", "-q", other);
  const controls = await controlsOf(other);
  hook(other, ".husky/_/pre-commit");
  expect(await controls.changes()).toEqual([]);
  hook(other, ".husky/_/pre-commit", "evil\n");
  expect(await controls.changes()).toMatchObject([{ words: "git hook .husky/_/pre-commit: new" }]);
});

test.for([
  ["an alias", "alias.st", "status"],
  ["how a pull merges", "pull.ff", "only"],
  [
    "what Git LFS notes of a server while it pushes",
    "lfs.https://host.example/x.git/info/lfs.locksverify",
    "false",
  ],
] as const)("%s is named, and nothing waits for it", async ([, name, value]) => {
  const root = aRepository();
  const controls = await controlsOf(root);
  git(root, "config", name, value);
  expect(await controls.changes()).toMatchObject([{ decides: false }]);
});

test("what others do to their branches is not named", async () => {
  const root = aRepository();
  git(root, "config", "branch.main.remote", "origin");
  const controls = await controlsOf(root);
  git(root, "config", "branch.topic.remote", "origin");
  git(root, "config", "branch.main.description", "mine");
  expect(await controls.changes()).toEqual([]);
});

test("what was found is kept without secrets, and counts for who opens it later", async () => {
  const root = aSettledRepository();
  let text: string | undefined;
  const store = { load: () => text, save: (saved: string) => void (text = saved) };
  const repository = await openRepository(root);
  await openGitControls(repository, { store });
  git(root, "config", "core.pager", "evil");
  git(root, "config", "http.extraHeader", "Authorization: Basic abcdef");
  const controls = await openGitControls(repository, { store });
  expect(await controls.changes()).toHaveLength(2);
  await controls.accept();
  expect(text).toContain("core.pager");
  expect(text).not.toMatch(/secret|Basic|abcdef/u);
  expect(await (await openGitControls(repository, { store })).changes()).toEqual([]);
});

test("what is kept is made what it was where somebody has come to it, and that is named", async () => {
  const root = aRepository();
  let text: string | undefined;
  const store = { load: () => text, save: (saved: string) => void (text = saved) };
  const controls = await openGitControls(await openRepository(root), { store });
  const kept = text;
  git(root, "config", "core.pager", "evil");
  text = undefined;
  const named = {
    words: expect.stringMatching(/^what these are compared with: /u),
    decides: false,
  };
  expect(await controls.changes()).toEqual([expect.objectContaining({ decides: true }), named]);
  expect(text).toBe(kept);
  expect(await controls.changes()).toHaveLength(2);
  await controls.accept();
  expect(await controls.changes()).toEqual([]);
});

test.for([2, 3, 4] as const)("flags are read from an index of version %i", async (version) => {
  const root = aRepository();
  for (const path of ["a/b/c", "a/b/cd", "a/é", "zz"]) write(root, path, path);
  git(root, "add", "-A");
  git(root, "update-index", "--index-version", String(version));
  const controls = await controlsOf(root);
  if (version === 3) git(root, "update-index", "--skip-worktree", "a/b/c");
  git(root, "update-index", "--assume-unchanged", "a/é", "zz");
  const flagged = version === 3 ? ["a/b/c: skip-worktree"] : [];
  expect((await controls.changes()).map(({ words }) => words)).toEqual([
    ...flagged,
    "a/é: assume-unchanged",
    "zz: assume-unchanged",
  ]);
});

test("flags are made what they were, but for files that are not in the index any more", async () => {
  const root = aRepository();
  for (const path of ["b", "c", "é"]) write(root, path, path);
  git(root, "add", "-A");
  git(root, "update-index", "--assume-unchanged", "b", "c");
  const controls = await controlsOf(root);
  git(root, "update-index", "--no-assume-unchanged", "b", "c");
  git(root, "rm", "-q", "--cached", "c");
  git(root, "update-index", "--skip-worktree", "é");
  git(root, "update-index", "--assume-unchanged", "a.txt");
  expect(await controls.restoreHidden()).toEqual(["b", "c", "a.txt", "é"]);
  expect(git(root, "ls-files", "-v", "-z")).toBe("H a.txt\0h b\0H é\0");
});

test("flags are read where ids are longer, and where the index is split", async () => {
  const long = aRepository(aFolder(), "--object-format=sha256");
  const split = aRepository();
  git(split, "update-index", "--split-index");
  for (const root of [long, split]) {
    const controls = await controlsOf(root);
    git(root, "update-index", "--assume-unchanged", "a.txt");
    expect(await controls.changes()).toHaveLength(1);
  }
});

test("a git hook of the product's own counts for nothing but what others put into it", async () => {
  const root = aRepository();
  const repository = await openRepository(root);
  const withoutOwn = (script: Uint8Array): Uint8Array | undefined => {
    const rest = Buffer.from(script).toString().replace("ours\n", "");
    return rest === "#!/bin/sh\n" ? undefined : Buffer.from(rest);
  };
  const controls = await openGitControls(repository, { withoutOwn });
  hook(root, ".git/hooks/post-commit", "#!/bin/sh\nours\n");
  expect(await controls.changes()).toEqual([]);
  hook(root, ".git/hooks/post-commit", "#!/bin/sh\nours\nevil\n");
  expect(await controls.changes()).toHaveLength(1);
});

test("of a repository, compares only what all of its work trees share", async () => {
  const root = aSettledRepository();
  git(root, "config", "core.hooksPath", ".husky");
  hook(root, ".husky/pre-commit");
  const shared = await openGitControls(await openRepository(root), { scope: "repository" });
  const whole = await controlsOf(root);
  hook(root, ".husky/pre-commit", "#!/bin/sh\nother\n");
  git(root, "update-index", "--assume-unchanged", "a.txt");
  git(root, "config", "branch.main.remote", "elsewhere");
  expect((await whole.changes()).map(({ words }) => words)).toHaveLength(3);
  expect(await shared.changes()).toEqual([]);
  git(root, "config", "core.hooksPath", join(root, ".git/mine"));
  hook(root, ".git/mine/pre-push");
  expect(await shared.changes()).toEqual([
    expect.objectContaining({ words: expect.stringContaining("core.hookspath: ") as string }),
    { words: "git hook .git/mine/pre-push: new", decides: true },
  ]);
});
