import { rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readCommit } from "../src/history.ts";
import { hooksFolder } from "../src/hooks.ts";
import { pushTarget, remoteBranches } from "../src/remotes.ts";
import { openRepository } from "../src/repository.ts";
import {
  aFolder,
  anEmptyRepository,
  aRepository,
  failureCode,
  git,
  headOf,
  write,
} from "./fixture.ts";

function aRemote(root: string, name = "origin"): string {
  const bare = aFolder();
  git(bare, "init", "-q", "--bare");
  git(root, "remote", "add", name, bare);
  return bare;
}

function commit(root: string, subject: string): string {
  git(root, "commit", "-q", "--allow-empty", "-m", subject);
  return headOf(root);
}

test("tells pushes from fetches by the reflog of each remote-tracking branch", async () => {
  const root = aRepository();
  const bare = aRemote(root);
  const first = headOf(root);
  git(root, "push", "-q", "origin", "main");
  const second = commit(root, "second");
  git(root, "push", "-q", "origin", "main", "main:topic/x");
  const other = aFolder();
  git(other, "clone", "-q", "-b", "main", bare, ".");
  const third = commit(other, "third");
  git(other, "push", "-q", "origin", "main");
  git(root, "fetch", "-q");
  const [main, topic, ...rest] = await remoteBranches(root);
  expect(rest).toEqual([]);
  expect(main).toMatchObject({ ref: "refs/remotes/origin/main", sha: third });
  expect(main?.moves.map(({ sha, message }) => [sha, message.split(" ", 1)[0]])).toEqual([
    [first, "update"],
    [second, "update"],
    [third, "fetch"],
  ]);
  expect(main?.moves[0]?.message).toBe("update by push");
  expect(topic).toMatchObject({ ref: "refs/remotes/origin/topic/x", sha: second });
  expect(topic?.moves).toHaveLength(1);
});

test("finds no moves where the reflog is not kept, has expired, or there is no remote", async () => {
  const root = aRepository();
  expect(await remoteBranches(root)).toEqual([]);
  aRemote(root);
  git(root, "push", "-q", "origin", "main");
  git(root, "pack-refs", "--all");
  expect((await remoteBranches(root))[0]?.moves).toHaveLength(1);
  git(root, "reflog", "expire", "--expire=all", "--all");
  expect(await remoteBranches(root)).toEqual([
    { ref: "refs/remotes/origin/main", sha: headOf(root), moves: [] },
  ]);
  git(root, "config", "core.logAllRefUpdates", "false");
  git(root, "push", "-q", "origin", "main:other");
  expect((await remoteBranches(root)).flatMap(({ moves }) => moves)).toEqual([]);
  expect(await remoteBranches(anEmptyRepository())).toEqual([]);
});

test("reads the reflogs that are left where one names a commit that is lost", async () => {
  const root = aRepository();
  aRemote(root);
  git(root, "push", "-q", "origin", "main");
  const lost = commit(root, "lost");
  git(root, "push", "-q", "origin", "main:other");
  git(root, "push", "-q", "--force", "origin", `${headOf(root)}~1:other`);
  git(root, "reset", "-q", "--hard", "HEAD~1");
  rmSync(join(root, ".git/objects", lost.slice(0, 2), lost.slice(2)));
  const [main, other] = await remoteBranches(root);
  expect(main?.moves).toHaveLength(1);
  expect(other?.moves.at(-1)).toMatchObject({ sha: headOf(root), message: "update by push" });
});

test.for([
  ["the only remote", [], ["r"], { remote: "r", isTracked: true }],
  ["origin of several", [], ["a", "origin"], { remote: "origin", isTracked: true }],
  ["none of several without an origin", [], ["a", "b"], { remote: undefined, isTracked: false }],
  ["none without a remote", [], [], { remote: undefined, isTracked: false }],
  [
    "remote.pushDefault before the branch's own remote",
    [
      ["remote.pushDefault", "b"],
      ["branch.Main.x.remote", "a"],
    ],
    ["a", "b"],
    { remote: "b", isTracked: true },
  ],
  [
    "the branch's pushRemote before remote.pushDefault",
    [
      ["remote.pushDefault", "b"],
      ["branch.Main.x.pushRemote", "a"],
    ],
    ["a", "b"],
    { remote: "a", isTracked: true },
  ],
  [
    "a URL, which nothing tracks",
    [["remote.pushDefault", "https://localhost/x.git"]],
    ["a"],
    { remote: "https://localhost/x.git", isTracked: false },
  ],
  [
    "a remote without remote-tracking branches",
    [["remote.r.fetch", "+refs/heads/*:refs/heads/*"]],
    ["r"],
    { remote: "r", isTracked: false },
  ],
] as const)("says that a push goes to %s", async ([, settings, remotes, expected]) => {
  const root = anEmptyRepository();
  for (const name of remotes) aRemote(root, name);
  for (const [name, value] of settings) git(root, "config", name, value);
  expect(await pushTarget(root, "Main.x")).toMatchObject({ remotes, ...expected });
});

test.for([
  ["by default", undefined],
  ["relative, from the root of the work tree", ".husky/_"],
  ["below the home folder", "~/hooks"],
  ["with odd letters", "a 'b'\n\"c\""],
] as const)("finds the folder of git hooks where git does: %s", async ([, value]) => {
  const root = aRepository();
  if (value !== undefined) git(root, "config", "core.hooksPath", value);
  const linked = join(aFolder(), "linked");
  git(root, "worktree", "add", "-q", linked);
  for (const workTree of [root, linked]) {
    const line = git(workTree, "rev-parse", "--path-format=absolute", "--git-path", "hooks");
    const repository = await openRepository(workTree);
    expect(await hooksFolder(repository)).toEqual({
      path: join(line.slice(0, -1), "."),
      isConfigured: value !== undefined,
    });
  }
});

test("takes the user's own core.hooksPath where the repository has none", async () => {
  const root = aRepository();
  const config = write(aFolder(), "config", "[core]\n\thooksPath = /tmp/mine\n");
  const before = process.env["GIT_CONFIG_GLOBAL"];
  process.env["GIT_CONFIG_GLOBAL"] = config;
  try {
    const repository = await openRepository(root);
    expect(await hooksFolder(repository)).toEqual({ path: "/tmp/mine", isConfigured: true });
  } finally {
    process.env["GIT_CONFIG_GLOBAL"] = before;
  }
});

test("reads one commit, and refuses what is none", async () => {
  const root = aRepository();
  git(root, "commit", "-q", "--allow-empty", "-m", "-n $(x)\u001b[0m\nrest\n\nbody");
  expect(await readCommit(root, "HEAD")).toMatchObject({
    sha: headOf(root),
    subject: "-n $(x) [0m rest",
  });
  expect((await readCommit(root, (await readCommit(root, "HEAD")).parents[0] ?? "")).subject).toBe(
    "first",
  );
  expect(await failureCode(readCommit(root, "f".repeat(40)))).toBe("ERR_BAD_REVISION");
  expect(await failureCode(readCommit(root, "--all"))).toBe("ERR_BAD_REVISION");
  expect(await failureCode(readCommit(anEmptyRepository(), "HEAD"))).toBe("ERR_BAD_REVISION");
});
