import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { deleteBranch, fetchBranch, refSha, upstreamOf } from "../src/branches.ts";
import { currentBranch } from "../src/head.ts";
import { addDetachedWorkTree } from "../src/landing/detached-work-trees.ts";
import { createRef } from "../src/refs.ts";
import { openRepository } from "../src/repository.ts";
import { createWorktree, listWorktrees, removeWorktree } from "../src/worktree.ts";
import {
  aCanary,
  aFolder,
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

/** A repository whose `origin` is another one. */
function aClone(): { readonly origin: string; readonly root: string } {
  const origin = aRepository();
  const root = join(aFolder(), "clone");
  git(aFolder(), "clone", "-q", origin, root);
  return { origin, root };
}

test("checks out a branch that is there in a new work tree", async () => {
  const root = aRepository();
  git(root, "branch", "topic");
  git(root, "tag", "topic");
  const path = join(aFolder(), "tree");
  const made = await createWorktree(root, { path, branch: "topic", from: undefined });
  expect(await currentBranch(path)).toBe("topic");
  expect(made.commonDir).toBe((await openRepository(root)).commonDir);
  const again = createWorktree(root, {
    path: join(aFolder(), "b"),
    branch: "topic",
    from: undefined,
  });
  expect(await failureCode(again), "it is checked out").toBe("ERR_GIT_FAILED");
  const missing = createWorktree(root, {
    path: join(aFolder(), "c"),
    branch: "x",
    from: undefined,
  });
  expect(await failureCode(missing)).toBe("ERR_GIT_FAILED");
});

test.for([undefined, "HEAD"])(
  "makes a work tree, from %s, while another git removes the only other one",
  async (from) => {
    const root = aRepository();
    if (from === undefined) git(root, "branch", "topic");
    const bin = aFolder();
    const real = execFileSync("sh", ["-c", "command -v git"], { encoding: "utf8" }).trim();
    // As git ends where the folder of records went between its two steps: the branch is made by then.
    script(
      bin,
      "git",
      `case "$*" in *"worktree add"*) if [ ! -e '${bin}/once' ]; then
        : > '${bin}/once'
        case "$*" in *" -b topic "*) '${real}' branch topic HEAD ;; esac
        echo "fatal: could not create directory of '.git/worktrees/tree': No such file or directory" >&2
        exit 128
      fi ;; esac
      exec '${real}' "$@"`,
    );
    const before = process.env["PATH"];
    process.env["PATH"] = `${bin}:${before}`;
    const path = join(aFolder(), "tree");
    try {
      await createWorktree(root, { path, branch: "topic", from });
      const detached = { path: `${path}-2`, commit: headOf(root) };
      rmSync(join(bin, "once"));
      await addDetachedWorkTree(await openRepository(root), detached);
    } finally {
      process.env["PATH"] = before;
    }
    expect(await currentBranch(path)).toBe("topic");
    expect(await currentBranch(`${path}-2`)).toBeUndefined();
  },
);

test.for([0, 1])(
  "syncs a new work tree once, as a whole, where sync ends with %i",
  async (code) => {
    const root = aRepository();
    const bin = aFolder();
    const log = join(bin, "log");
    const path = join(aFolder(), "tree");
    script(bin, "sync", `echo "$* $(ls '${path}')" >> '${log}'; exit ${code}`);
    const before = process.env["PATH"];
    process.env["PATH"] = `${bin}:${before}`;
    try {
      const processes = await traced(() =>
        createWorktree(root, { path, branch: "a/topic", from: "HEAD" }),
      );
      expect(
        processes.reduce((sum, { flushes }) => sum + flushes, 0),
        "git syncs nothing",
      ).toBe(0);
    } finally {
      process.env["PATH"] = before;
    }
    const [args] = process.platform === "linux" ? [`-f ${path}`] : [""];
    expect(read(bin, "log")).toBe(`${args} a.txt\n`);
    expect(await currentBranch(path)).toBe("a/topic");
  },
);

test("tells the git hooks of a new work tree what it is told", async () => {
  const root = aRepository();
  const seen = join(aFolder(), "seen");
  script(join(root, ".git", "hooks"), "post-checkout", `printf %s "$MARK" > '${seen}'`);
  const options = { branch: "topic", from: "HEAD", env: { MARK: "ours" } };
  await createWorktree(root, { path: join(aFolder(), "tree"), ...options });
  expect(git(root, "hash-object", seen)).toBe(
    git(root, "hash-object", write(aFolder(), "x", "ours")),
  );
  const steering = { branch: "other", from: "HEAD", env: { GIT_DIR: "/" } };
  expect(await failureCode(createWorktree(root, { path: "x", ...steering }))).toBe(
    "ERR_INVALID_ARGUMENT",
  );
});

test("lists work trees with their branches and locks, whatever their names", async () => {
  const root = aRepository();
  const path = join(aFolder(), "two\nlines locked");
  await createWorktree(root, { path, branch: "topic", from: "HEAD" });
  git(root, "worktree", "lock", "--reason", "in\nuse", path);
  const detached = join(aFolder(), "d");
  git(root, "worktree", "add", "-q", "--detach", detached);
  const [main, ...linked] = await listWorktrees(path);
  expect(main).toEqual({ path: root, branch: "main", lock: undefined });
  expect(linked).toHaveLength(2);
  expect(linked).toContainEqual({ path, branch: "topic", lock: "in\nuse" });
  expect(linked).toContainEqual({ path: detached, branch: undefined, lock: undefined });
});

test("removes a linked work tree with what is in it, and leaves its branch", async () => {
  const root = aRepository();
  const path = join(aFolder(), "tree");
  await createWorktree(root, { path, branch: "topic", from: "HEAD" });
  write(path, "untracked", "");
  await removeWorktree(root, path);
  expect(existsSync(path)).toBe(false);
  expect(await listWorktrees(root)).toHaveLength(1);
  expect(await refSha(root, "refs/heads/topic")).toBe(headOf(root));
});

test("removes neither the main work tree, nor a locked one, nor what is none", async () => {
  const root = aRepository();
  const path = join(aFolder(), "tree");
  await createWorktree(root, { path, branch: "topic", from: "HEAD" });
  git(root, "worktree", "lock", path);
  const stranger = aFolder();
  write(stranger, "file", "");
  for (const each of [root, path, stranger]) {
    expect(await failureCode(removeWorktree(root, each))).toBe("ERR_GIT_FAILED");
    expect(existsSync(each)).toBe(true);
  }
});

test("tells the commit of a ref, and of none that is not there or is broken", async () => {
  const root = aRepository();
  git(root, "tag", "-a", "-m", "a tag", "v1");
  expect(await refSha(root, "refs/heads/main")).toBe(headOf(root));
  expect(await refSha(root, "refs/tags/v1")).toBe(headOf(root));
  expect(await refSha(root, "refs/heads/none")).toBeUndefined();
  write(root, ".git/refs/heads/lost", `${"1".repeat(40)}\n`);
  expect(await refSha(root, "refs/heads/lost")).toBeUndefined();
  write(root, ".git/refs/heads/emptied", "");
  expect(await refSha(root, "refs/heads/emptied")).toBeUndefined();
  expect(await failureCode(refSha(root, "--all"))).toBe("ERR_BAD_REVISION");
});

test("deletes a branch that is merged nowhere, but none that is checked out", async () => {
  const root = aRepository();
  git(root, "checkout", "-qb", "topic");
  git(root, "commit", "-q", "--allow-empty", "-m", "more");
  expect(await failureCode(deleteBranch(root, "topic"))).toBe("ERR_GIT_FAILED");
  git(root, "checkout", "-q", "main");
  expect(await deleteBranch(root, "topic")).toBe(true);
  expect(await deleteBranch(root, "topic")).toBe(false);
});

test.for(["-D", "", "a..b", "a b", "a.lock", ".a", "a/.b", "a/", "a.", "HEAD", "a\0", "@{-1}"])(
  "does not take %j for a branch's name",
  async (branch) => {
    const root = aRepository();
    const path = join(aFolder(), "tree");
    const acts = [
      deleteBranch(root, branch),
      upstreamOf(root, branch),
      fetchBranch(root, { remote: "origin", branch }),
      createWorktree(root, { path, branch, from: undefined }),
    ];
    for (const act of acts) expect(await failureCode(act)).toBe("ERR_INVALID_ARGUMENT");
  },
);

test("creates a ref once", async () => {
  const root = aRepository();
  const ref = { ref: "refs/quasar/x/branch", sha: headOf(root) };
  expect(await createRef(root, ref)).toBe(true);
  expect(await createRef(root, ref)).toBe(false);
  expect(await failureCode(createRef(root, { ...ref, ref: "HEAD\0x" }))).toBe("ERR_BAD_REVISION");
});

test("finds where a branch is pulled from", async () => {
  const { root } = aClone();
  expect(await upstreamOf(root, "main")).toEqual({ remote: "origin", branch: "main" });
  expect(await upstreamOf(root, "new"), "the only remote").toEqual({
    remote: "origin",
    branch: "new",
  });
  git(root, "config", "branch.main.merge", "refs/heads/other");
  expect(await upstreamOf(root, "main")).toEqual({ remote: "origin", branch: "other" });
  git(root, "config", "branch.main.remote", ".");
  expect(await upstreamOf(root, "main"), "itself").toEqual({ remote: "origin", branch: "main" });
  git(root, "remote", "rename", "origin", "one");
  git(root, "remote", "add", "two", "/nowhere");
  expect(await upstreamOf(root, "new"), "two, none of them origin").toBeUndefined();
  expect(await upstreamOf(aRepository(), "main")).toBeUndefined();
});

test("fetches one branch and nothing else", async () => {
  const { origin, root } = aClone();
  git(origin, "commit", "-q", "--allow-empty", "-m", "newer");
  git(origin, "branch", "other");
  git(origin, "tag", "v1");
  const before = headOf(root);
  expect(await fetchBranch(root, { remote: "origin", branch: "main" })).toBe(headOf(origin));
  expect(git(root, "for-each-ref", "--format=%(refname)").trim().split("\n")).toEqual([
    "refs/heads/main",
    "refs/remotes/origin/HEAD",
    "refs/remotes/origin/main",
  ]);
  expect(headOf(root)).toBe(before);
  expect(existsSync(join(root, ".git", "FETCH_HEAD"))).toBe(false);
});

test("says that a remote cannot be reached, or has no such branch", async () => {
  const { origin, root } = aClone();
  const none = await failure(fetchBranch(root, { remote: "origin", branch: "none" }));
  expect(none).toMatchObject({ code: "ERR_GIT_FAILED", message: /couldn't find remote ref/ });
  git(root, "remote", "set-url", "origin", `${origin}-gone`);
  const gone = fetchBranch(root, { remote: "origin", branch: "main" });
  expect(await failureCode(gone)).toBe("ERR_REMOTE_UNREACHABLE");
});

test("starts no program that a repository puts in the place of git's to fetch, nor a command in a URL's", async () => {
  const { origin, root } = aClone();
  const canary = aCanary();
  git(root, "config", "remote.origin.uploadpack", canary.program);
  tryGit(root, "fetch", "-q", "origin");
  expect(canary.sang()).toBe(true); // plain git falls into it
  expect(await fetchBranch(root, { remote: "origin", branch: "main" })).toBe(headOf(origin));
  git(root, "config", "protocol.ext.allow", "always");
  git(root, "remote", "add", "evil", `ext::${canary.program}`);
  await failure(fetchBranch(root, { remote: "evil", branch: "main" }));
  expect(canary.sang()).toBe(false);
});

test.for(["--upload-pack=x", "ext::sh", "../there", "/there", ".", ""])(
  "does not take %j for a remote's name",
  async (remote) => {
    const { root } = aClone();
    expect(await failureCode(fetchBranch(root, { remote, branch: "main" }))).toBe(
      "ERR_INVALID_ARGUMENT",
    );
    git(root, "config", "branch.main.remote", remote);
    expect(await upstreamOf(root, "main")).toEqual({ remote: "origin", branch: "main" });
  },
);

test("starts nothing of a hostile repository to look, list and tidy up", async () => {
  const root = aRepository();
  const canary = aCanary();
  const path = join(aFolder(), "tree");
  await createWorktree(root, { path, branch: "topic", from: "HEAD" });
  git(root, "config", "core.fsmonitor", canary.program);
  mkdirSync(join(root, ".git", "hooks"), { recursive: true });
  script(join(root, ".git", "hooks"), "reference-transaction", canary.program);
  git(root, "config", "filter.x.clean", canary.program);
  write(path, ".gitattributes", "* filter=x\n");
  write(path, "a.txt", "changed\n");
  await refSha(root, "refs/heads/topic");
  await upstreamOf(root, "topic");
  await listWorktrees(root);
  await createRef(root, { ref: "refs/quasar/x/branch", sha: headOf(path) });
  await removeWorktree(root, path);
  await deleteBranch(root, "topic");
  expect(canary.sang()).toBe(false);
});
