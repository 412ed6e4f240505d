import { existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { commitAll } from "../src/commit.ts";
import { currentBranch, currentGitSha, currentHead, isAncestor } from "../src/head.ts";
import { logRange } from "../src/history.ts";
import { openRepository, operationInProgress } from "../src/repository.ts";
import { dirtyPaths } from "../src/status.ts";
import { readCommitState } from "../src/work.ts";
import { createWorktree } from "../src/worktree.ts";
import {
  aFolder,
  anEmptyRepository,
  aRepository,
  failure,
  failureCode,
  git,
  headOf,
  read,
  script,
  traced,
  tryGit,
  write,
} from "./fixture.ts";

const subject = "cycle";

test("works in a SHA-256 repository", async () => {
  const root = aRepository(aFolder(), "--object-format=sha256");
  const first = await currentGitSha(root);
  expect(first).toMatch(/^[0-9a-f]{64}$/);
  write(root, "b", "");
  const second = (await commitAll(root, { subject }))?.sha;
  expect(second).toBe(headOf(root));
  expect(await isAncestor(root, first, second ?? "")).toBe(true);
  expect((await logRange(root, { from: first })).map(({ sha }) => sha)).toEqual([second]);
});

test("makes the first commit of a repository without any", async () => {
  const root = anEmptyRepository();
  expect(await failureCode(currentGitSha(root))).toBe("ERR_NO_COMMITS");
  expect(await currentBranch(root)).toBe("main");
  expect(await dirtyPaths(root)).toEqual([]);
  expect(await failureCode(logRange(root))).toBe("ERR_BAD_REVISION");
  expect(await commitAll(root, { subject })).toBeUndefined();
  write(root, "a", "");
  const sha = (await commitAll(root, { subject }))?.sha;
  expect(await currentGitSha(root)).toBe(sha);
  expect((await logRange(root))[0]).toMatchObject({ sha, parents: [], subject });
});

test("commits on a detached HEAD", async () => {
  const root = aRepository();
  git(root, "checkout", "-q", "--detach");
  write(root, "b", "");
  expect(await currentBranch(root)).toBeUndefined();
  expect((await commitAll(root, { subject }))?.sha).toBe(headOf(root));
  expect(git(root, "log", "--format=%s", "main")).toBe("first\n");
});

test.for<[string, string | undefined, readonly string[]]>([
  ["on a branch", "main", ["status"]],
  ["on a branch called otherwise", "fix/ü", ["checkout", "-q", "-b", "fix/ü"]],
  ["on none", undefined, ["checkout", "-q", "--detach"]],
  ["beside a branch HEAD", "main", ["update-ref", "refs/heads/HEAD", "HEAD"]],
])("says at once where HEAD is: %s", async ([, branch, args]) => {
  const root = aRepository();
  git(root, ...args);
  expect(await currentHead(root)).toEqual({ head: headOf(root), branch });
});

test("says where HEAD is in one process, and that it has no commit", async () => {
  expect(await currentHead(anEmptyRepository())).toEqual({ head: "", branch: "main" });
  const root = aRepository();
  expect(await traced(() => currentHead(root))).toHaveLength(1);
});

test("does not call a commit unrelated where a shallow history ends before it", async () => {
  const origin = aRepository();
  const first = headOf(origin);
  git(origin, "commit", "-q", "--allow-empty", "-m", "second");
  git(origin, "commit", "-q", "--allow-empty", "-m", "third");
  const shallow = aFolder();
  git(shallow, "clone", "-q", "--depth=1", `file://${origin}`, ".");
  const head = headOf(shallow);
  expect(await isAncestor(shallow, first, head)).toBeUndefined();
  git(shallow, "fetch", "-q", "--depth=1", `file://${origin}`, first);
  expect(await isAncestor(shallow, first, head), "both are there, not what is between").toBe(
    undefined,
  );
  expect(await isAncestor(shallow, head, head)).toBe(true);
  expect(await logRange(shallow)).toHaveLength(1);
});

test("tells ancestors from others, and from commits that are not there", async () => {
  const root = aRepository();
  const first = headOf(root);
  git(root, "commit", "-q", "--allow-empty", "-m", "second");
  const second = headOf(root);
  git(root, "checkout", "-q", "-b", "side", first);
  git(root, "commit", "-q", "--allow-empty", "-m", "side");
  const side = headOf(root);
  const tree = git(root, "rev-parse", "HEAD^{tree}").trim();
  expect(await isAncestor(root, first, second)).toBe(true);
  expect(await isAncestor(root, second, first)).toBe(false);
  expect(await isAncestor(root, side, second)).toBe(false);
  expect(await isAncestor(root, "0".repeat(40), second)).toBeUndefined();
  expect(await isAncestor(root, tree, second)).toBeUndefined();
});

test("says that git failed, not that a commit is missing, when it cannot read anything", async () => {
  const root = aRepository();
  const head = headOf(root);
  writeFileSync(join(root, ".git/config"), "[broken");
  const acts = [isAncestor(root, head, head), logRange(root, { from: head })];
  expect(await Promise.all(acts.map(failureCode))).toEqual(["ERR_GIT_FAILED", "ERR_GIT_FAILED"]);
});

test("knows a branch without a commit from the branches below its name", async () => {
  const root = aRepository();
  git(root, "branch", "topic/x");
  git(root, "symbolic-ref", "HEAD", "refs/heads/topic");
  expect(await failureCode(currentGitSha(root))).toBe("ERR_NO_COMMITS");
  writeFileSync(join(root, ".git/refs/heads/topic/x"), "");
  expect(await failureCode(currentGitSha(root))).toBe("ERR_NO_COMMITS");
});

test("keeps the work trees of a repository apart", async () => {
  const root = aRepository();
  const linked = await createWorktree(root, {
    path: join(aFolder(), "w"),
    branch: "w",
    from: "HEAD",
  });
  expect(linked.commonDir).toBe(join(root, ".git"));
  expect(linked.gitDir).toBe(join(root, ".git/worktrees/w"));
  write(linked.root, "b", "");
  const sha = (await commitAll(linked.root, { subject }))?.sha;
  expect(await currentGitSha(linked.root)).toBe(sha);
  expect(await currentBranch(linked.root)).toBe("w");
  expect(await openRepository(linked.root)).toEqual(linked);
  expect(await currentGitSha(root)).not.toBe(sha);
  expect(await dirtyPaths(root)).toEqual([]);
});

test.for([
  ["a branch like an option", { branch: "--force" }, "ERR_INVALID_ARGUMENT"],
  ["no branch", { branch: "" }, "ERR_INVALID_ARGUMENT"],
  ["a branch that there is", { branch: "main" }, "ERR_GIT_FAILED"],
  ["a branch's name that git does not allow", { branch: "a..b" }, "ERR_INVALID_ARGUMENT"],
  ["a short revision", { from: "main" }, "ERR_BAD_REVISION"],
  ["a folder that is in use", { path: "." }, "ERR_GIT_FAILED"],
] as const)("makes no work tree of %s", async ([, change, code]) => {
  const root = aRepository();
  const options = { path: join(aFolder(), "w"), branch: "w", from: "HEAD", ...change };
  expect(await failureCode(createWorktree(root, options))).toBe(code);
});

test("takes a submodule for the repository that it is", async () => {
  const root = aRepository();
  git(root, "submodule", "--quiet", "add", aRepository(), "sub");
  git(root, "commit", "-qm", "submodule");
  const sub = join(root, "sub");
  expect(await openRepository(sub)).toEqual({
    root: sub,
    gitDir: join(root, ".git/modules/sub"),
    commonDir: join(root, ".git/modules/sub"),
  });
  write(sub, "b", "");
  expect(await dirtyPaths(sub)).toEqual([{ path: "b", status: "??" }]);
  expect(await dirtyPaths(root), "work trees of submodules are not looked into").toEqual([]);
  const sha = (await commitAll(sub, { subject }))?.sha;
  expect(await currentGitSha(sub)).toBe(sha);
  expect(await dirtyPaths(root)).toEqual([{ path: "sub", status: ".M" }]);
  expect((await commitAll(root, { subject }))?.sha).toBe(headOf(root));
});

test.for([
  ["a changed file", (sub: string) => write(sub, "a.txt", "two\n")],
  ["an untracked file", (sub: string) => write(sub, "b.txt", "b\n")],
] as const)("sees %s in a submodule, and does not call it uncommitted here", async ([, change]) => {
  const root = aRepository();
  git(root, "submodule", "--quiet", "add", aRepository(), "sub");
  git(root, "commit", "-qm", "submodule");
  expect(await readCommitState(root)).toMatchObject({ dirty: [], submodules: [] });
  const sub = join(root, "sub");
  change(sub);
  expect(await readCommitState(root)).toMatchObject({ dirty: [], submodules: ["sub"] });
  git(sub, "commit", "-q", "--allow-empty", "-m", "second");
  const dirty = [{ path: "sub", status: ".M" }];
  expect(await readCommitState(root)).toMatchObject({ dirty, submodules: ["sub"] });
  git(root, "config", "submodule.sub.ignore", "dirty");
  expect(await readCommitState(root)).toMatchObject({ dirty, submodules: [] });
});

test("sees files in the folder of a submodule that is not checked out", async () => {
  const root = aRepository();
  git(root, "submodule", "--quiet", "add", aRepository(), "sub");
  git(root, "config", "-f", ".gitmodules", "submodule.old.path", "old");
  write(root, "old/a.txt", "no submodule any more\n");
  git(root, "add", "-A");
  git(root, "commit", "-qm", "submodule");
  const clone = aFolder();
  git(clone, "clone", "-q", root, ".");
  expect(await readCommitState(clone)).toMatchObject({ dirty: [], submodules: [] });
  write(clone, "sub/new.txt", "new\n");
  expect(await readCommitState(join(clone, "old"))).toMatchObject({
    dirty: [],
    submodules: ["sub"],
  });
});

test("finds no repository from inside the git folder", async () => {
  const root = aRepository();
  expect(await failureCode(openRepository(join(root, ".git")))).toBe("ERR_NOT_A_REPOSITORY");
});

/** Two branches that change the same line; `main` is checked out. */
function aConflict(): string {
  const root = aRepository();
  git(root, "checkout", "-q", "-b", "side");
  write(root, "a.txt", "side\n");
  git(root, "commit", "-qam", "side");
  git(root, "checkout", "-q", "main");
  write(root, "a.txt", "main\n");
  git(root, "commit", "-qam", "main");
  return root;
}

test.for([
  ["merge", ["merge", "side"]],
  ["rebase", ["rebase", "side"]],
  ["rebase", ["rebase", "--apply", "side"]],
  ["cherry-pick", ["cherry-pick", "side"]],
  ["revert", ["revert", "--no-edit", "HEAD~1"]],
] as const)("stages nothing in the middle of a %s with conflicts", async ([operation, args]) => {
  const root = aConflict();
  write(root, "a.txt", "again\n");
  git(root, "commit", "-qam", "again");
  tryGit(root, ...args);
  const repository = await openRepository(root);
  expect(await operationInProgress(repository)).toBe(operation);
  const conflict = (await dirtyPaths(root)).find(({ path }) => path === "a.txt");
  expect(conflict?.status).toBe("UU");
  const index = read(root, ".git/index");
  const error = await failure(commitAll(root, { subject }));
  expect(error.code).toBe("ERR_UNMERGED");
  expect(error.message).toContain("a.txt");
  expect(read(root, ".git/index")).toBe(index);
  expect(await currentBranch(root)).toBe(operation === "rebase" ? undefined : "main");
});

test("concludes a merge whose conflicts are resolved", async () => {
  const root = aConflict();
  tryGit(root, "merge", "side");
  write(root, "a.txt", "both\n");
  git(root, "add", "a.txt");
  const sha = (await commitAll(root, { subject, trailers: { "Quasar-Task": "t" } }))?.sha;
  expect((await logRange(root)).at(-1)).toMatchObject({ sha, subject });
  expect((await logRange(root)).at(-1)?.parents).toHaveLength(2);
  expect(await operationInProgress(await openRepository(root))).toBeUndefined();
});

test.for(["cherry-pick", "revert"] as const)(
  "sees a %s of several commits whose conflict was committed",
  async (operation) => {
    const root = aConflict();
    const commits = ["one", "two"].map((text) => {
      write(root, "a.txt", text);
      git(root, "commit", "-qam", text);
      return headOf(root);
    });
    write(root, "a.txt", "three");
    git(root, "commit", "-qam", "three");
    tryGit(root, operation, "--no-edit", ...commits);
    git(root, "commit", "-qam", "resolved");
    expect(git(root, "status")).toMatch(new RegExp(`${operation} currently in progress`, "i"));
    expect(await operationInProgress(await openRepository(root))).toBe(operation);
  },
);

test("sees a bisection", async () => {
  const root = aRepository();
  git(root, "bisect", "start");
  expect(await operationInProgress(await openRepository(root))).toBe("bisect");
});

test("reads past an index that is locked, and says why it cannot commit", async () => {
  const root = aRepository();
  write(root, "b", "");
  writeFileSync(join(root, ".git/index.lock"), "");
  expect(await dirtyPaths(root)).toEqual([{ path: "b", status: "??" }]);
  expect(await currentGitSha(root)).toBe(headOf(root));
  const error = await failure(commitAll(root, { subject }));
  expect(error.code).toBe("ERR_COMMIT_FAILED");
  expect(error.message).toContain("index.lock");
});

function objectFile(root: string, sha: string): string {
  return join(root, ".git/objects", sha.slice(0, 2), sha.slice(2));
}

test.for([
  ["an emptied ref", (root) => writeFileSync(join(root, ".git/refs/heads/main"), "")],
  ["an emptied commit", (root) => emptied(objectFile(root, headOf(root)))],
  ["a lost commit", (root) => rmSync(objectFile(root, headOf(root)))],
  [
    "a lost commit of a detached HEAD",
    (root) => {
      git(root, "checkout", "-q", "--detach");
      rmSync(objectFile(root, headOf(root)));
    },
  ],
] as readonly (readonly [string, (root: string) => void])[])(
  "tells %s from a repository without commits",
  async ([, harm]) => {
    const root = aRepository();
    harm(root);
    expect(await failureCode(currentGitSha(root))).toBe("ERR_BROKEN_HEAD");
  },
);

function emptied(file: string): void {
  rmSync(file);
  writeFileSync(file, "");
}

test.for(["with space", "quo'te\"s", "new\nline", "-dash", "ünïcode", "true\ntrue", "*[glob]?"])(
  "works in a folder called %j, and below it",
  async (name) => {
    const root = aRepository(join(aFolder(), name));
    const below = join(root, name, "deep");
    write(root, join(name, "deep", name), "");
    const path = `${name}/deep/${name}`;
    expect(await openRepository(below)).toEqual({
      root,
      gitDir: join(root, ".git"),
      commonDir: join(root, ".git"),
    });
    expect(await dirtyPaths(below)).toEqual([{ path, status: "??" }]);
    expect(await commitAll(below, { subject, exclude: [path] })).toBeUndefined();
    write(root, "b", "");
    expect((await commitAll(below, { subject, exclude: [path] }))?.sha).toBe(headOf(root));
    expect(await dirtyPaths(below)).toEqual([{ path, status: "??" }]);
    expect((await commitAll(below, { subject }))?.sha).toBe(await currentGitSha(below));
    expect(await dirtyPaths(below)).toEqual([]);
  },
);

test("follows a linked folder to the work tree", async () => {
  const root = aRepository();
  const link = join(aFolder(), "link");
  symlinkSync(root, link);
  expect((await openRepository(link)).root).toBe(root);
});

test("lists each path that differs from HEAD once, by its exact name", async () => {
  const root = aRepository();
  for (const name of ["kept", "gone", "staged gone", "from", "mode", "both"]) {
    write(root, name, `${name}\n`);
  }
  git(root, "add", "-A");
  git(root, "commit", "-qm", "second");
  write(root, ".gitignore", "ignored\n");
  for (const name of ["ignored", "new\nfile", 'quo"te', "dir/sub/new", "1 .M N... x"]) {
    write(root, name, "");
  }
  rmSync(join(root, "gone"));
  git(root, "rm", "-q", "staged gone");
  git(root, "mv", "from", "to");
  script(root, "mode", "mode");
  write(root, "both", "staged\n");
  git(root, "add", "both");
  write(root, "both", "not staged\n");
  write(root, "added", "");
  git(root, "add", "added");
  const found = await dirtyPaths(join(root, "dir"));
  expect(Object.fromEntries(found.map(({ path, status }) => [path, status]))).toEqual({
    ".gitignore": "??",
    "1 .M N... x": "??",
    "dir/sub/new": "??",
    "new\nfile": "??",
    'quo"te': "??",
    added: "A.",
    both: "MM",
    from: "D.",
    gone: ".D",
    mode: ".M",
    "staged gone": "D.",
    to: "A.",
  });
});

test("passes over what status says of a stash", async () => {
  const root = aRepository();
  write(root, "a.txt", "stashed\n");
  git(root, "stash");
  git(root, "config", "status.showStash", "true");
  git(root, "config", "status.branch", "true");
  write(root, "# stash 1", "");
  expect(await dirtyPaths(root)).toEqual([{ path: "# stash 1", status: "??" }]);
  expect((await commitAll(root, { subject }))?.sha).toBe(headOf(root));
});

test("says what is not a repository, whatever is there instead", async () => {
  const folders = {
    missing: join(aFolder(), "missing"),
    file: write(aFolder(), "file", ""),
    "below a file": join(write(aFolder(), "file", ""), "x"),
    "with a NUL": "/tmp/\0",
    "in no repository": aFolder(),
  };
  for (const [name, folder] of Object.entries(folders)) {
    for (const act of [currentGitSha, currentBranch, currentHead, openRepository, dirtyPaths]) {
      expect(await failureCode(act(folder)), `of a folder ${name}`).toBe("ERR_NOT_A_REPOSITORY");
    }
  }
});

test("says that git is missing only when it is", async () => {
  const root = aRepository();
  const path = process.env["PATH"];
  process.env["PATH"] = aFolder();
  try {
    expect(await failureCode(currentGitSha(root))).toBe("ERR_GIT_MISSING");
    expect(await failureCode(currentGitSha(join(root, "no")))).toBe("ERR_NOT_A_REPOSITORY");
  } finally {
    process.env["PATH"] = path;
  }
});

test("rejects with the signal's reason, before git starts and while it runs", async () => {
  const root = aRepository();
  const reason = new Error("enough");
  const aborted = { signal: AbortSignal.abort(reason) };
  for (const act of [currentGitSha, currentBranch, currentHead, openRepository, dirtyPaths]) {
    await expect(act(root, aborted)).rejects.toBe(reason);
  }
  await expect(commitAll(root, { subject, ...aborted })).rejects.toBe(reason);
  await expect(currentGitSha(root, { signal: AbortSignal.abort() })).rejects.toMatchObject({
    name: "AbortError",
  });

  write(root, "b", "");
  mkdirSync(join(root, ".git/hooks"), { recursive: true });
  const hook = "touch .git/waiting; until [ -e .git/go ]; do sleep 0.1; done";
  script(root, ".git/hooks/pre-commit", hook);
  onTestFinished(() => void write(root, ".git/go", ""));
  const controller = new AbortController();
  const committing = commitAll(root, { subject, signal: controller.signal });
  await expect.poll(() => existsSync(join(root, ".git/waiting"))).toBe(true);
  controller.abort(reason);
  await expect(committing).rejects.toBe(reason);
  expect(git(root, "log", "--format=%s")).toBe("first\n");
});
