import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { pushBranch, type PushOptions, remoteHead, remoteUrl } from "../src/push.ts";
import {
  aCanary,
  aFolder,
  aRepository,
  failure,
  failureCode,
  git,
  headOf,
  script,
  tryGit,
  write,
} from "./fixture.ts";

interface Pair {
  readonly root: string;
  readonly bare: string;
}

function aPair(): Pair {
  const root = aRepository();
  const bare = aFolder();
  git(bare, "init", "-q", "--bare");
  git(root, "remote", "add", "origin", bare);
  return { root, bare };
}

function commit(root: string, subject = "another"): string {
  git(root, "commit", "-q", "--allow-empty", "-m", subject);
  return headOf(root);
}

function refsOf(bare: string): string {
  return git(bare, "for-each-ref", "--format=%(objectname) %(refname)").trim();
}

test("brings a branch to a commit, tells that it was there, and leaves a push in the reflog", async () => {
  const { root, bare } = aPair();
  const sha = headOf(root);
  const push = { remote: "origin", branch: "fix/a", sha };
  expect(await remoteHead(root, "origin", "fix/a")).toBeUndefined();
  expect(await pushBranch(root, push)).toBe("pushed");
  expect(await pushBranch(root, push)).toBe("up-to-date");
  expect(await remoteHead(root, "origin", "fix/a")).toBe(sha);
  expect(refsOf(bare)).toBe(`${sha} refs/heads/fix/a`);
  expect(git(root, "reflog", "--format=%gs", "refs/remotes/origin/fix/a")).toBe("update by push\n");
});

test("pushes one branch and nothing else, whatever the repository wants pushed with it", async () => {
  const { root, bare } = aPair();
  git(root, "tag", "-a", "-m", "t", "v1");
  git(root, "config", "push.followTags", "true");
  git(root, "config", "push.recurseSubmodules", "on-demand");
  git(root, "config", "remote.origin.push", "+refs/heads/*:refs/heads/*");
  git(root, "branch", "other");
  const sha = headOf(root);
  await pushBranch(root, { remote: "origin", branch: "x", sha });
  expect(refsOf(bare)).toBe(`${sha} refs/heads/x`);
});

test("never goes back, nor over what others have pushed", async () => {
  const { root, bare } = aPair();
  const first = headOf(root);
  const theirs = commit(root, "theirs");
  git(root, "push", "-q", "origin", "main");
  git(root, "reset", "-q", "--hard", first);
  const push = { remote: "origin", branch: "main" };
  expect(await failureCode(pushBranch(root, { ...push, sha: first }))).toBe("ERR_NOT_FAST_FORWARD");
  const ours = commit(root, "ours");
  expect(await failureCode(pushBranch(root, { ...push, sha: ours }))).toBe("ERR_NOT_FAST_FORWARD");
  git(root, "config", "remote.origin.mirror", "true");
  await failure(pushBranch(root, { ...push, sha: ours }));
  expect(refsOf(bare)).toBe(`${theirs} refs/heads/main`);
});

test("asks where the pushes go, and takes no other ref that ends alike", async () => {
  const { root, bare } = aPair();
  const elsewhere = aFolder();
  git(elsewhere, "init", "-q", "--bare");
  git(root, "config", "remote.origin.pushurl", elsewhere);
  const sha = headOf(root);
  git(root, "push", "-q", bare, "HEAD:refs/heads/main");
  git(root, "push", "-q", elsewhere, "HEAD:refs/x/refs/heads/main");
  expect(await remoteHead(root, "origin", "main")).toBeUndefined();
  await pushBranch(root, { remote: "origin", branch: "main", sha });
  expect(await remoteHead(root, "origin", "main")).toBe(sha);
});

test.for([
  ["at the remote", (pair: Pair) => script(join(pair.bare, "hooks"), "update", "echo no; exit 1")],
  [
    "here",
    (pair: Pair) => script(join(pair.root, ".git/hooks"), "pre-push", "echo no >&2; exit 1"),
  ],
] as const)("says that a hook %s refused it", async ([, hook]) => {
  const pair = aPair();
  hook(pair);
  const push = { remote: "origin", branch: "x", sha: headOf(pair.root) };
  const error = await failure(pushBranch(pair.root, push));
  expect(error).toMatchObject({ code: "ERR_PUSH_REFUSED", message: expect.stringMatching(/no/) });
  expect(refsOf(pair.bare)).toBe("");
});

test.for([
  ["a folder that is gone", "/nowhere/at/all", "ERR_REMOTE_UNREACHABLE"],
  ["a port where nobody listens", "http://127.0.0.1:9/x.git", "ERR_REMOTE_UNREACHABLE"],
] as const)("says that %s cannot be reached", async ([, url, code]) => {
  const root = aRepository();
  git(root, "remote", "add", "origin", url);
  const push = { remote: "origin", branch: "x", sha: headOf(root) };
  expect(await failureCode(pushBranch(root, push))).toBe(code);
  expect(await failureCode(remoteHead(root, "origin", "x"))).toBe(code);
});

test.for([
  ["a key that is not taken", "git@localhost: Permission denied (publickey)."],
  ["an unknown host", "Host key verification failed."],
])("says that credentials are wanted for %s, without asking", async ([, words]) => {
  const root = aRepository();
  git(root, "remote", "add", "origin", "ssh://git@localhost/x.git");
  // What ssh would ask on a terminal it cannot: there is none.
  const ask = `(echo yes > /dev/tty) 2>/dev/null && exit 3; echo '${words}' >&2; exit 255`;
  git(root, "config", "core.sshCommand", script(aFolder(), "ssh", ask));
  const push = { remote: "origin", branch: "x", sha: headOf(root) };
  expect(await failureCode(pushBranch(root, push))).toBe("ERR_REMOTE_AUTH");
  expect(await failureCode(remoteHead(root, "origin", "x"))).toBe("ERR_REMOTE_AUTH");
});

test("keeps the user's own ssh, and tells no password of a URL", async () => {
  const root = aRepository();
  const log = join(aFolder(), "log");
  process.env["GIT_SSH_COMMAND"] = script(aFolder(), "ssh", `echo used >> '${log}'; exit 255`);
  try {
    const ssh = "ssh://user:hunter2@localhost/x.git";
    const push = { remote: ssh, branch: "x", sha: headOf(root) };
    expect((await failure(pushBranch(root, push))).message).not.toContain("hunter2");
    expect(readFileSync(log, "utf8")).toBe("used\n");
    expect(await remoteUrl(root, ssh)).toBe("ssh://localhost/x.git");
  } finally {
    delete process.env["GIT_SSH_COMMAND"];
  }
});

test("starts no command that a repository puts in a remote's place", async () => {
  const { root, bare } = aPair();
  const sha = headOf(root);
  const canary = aCanary();
  git(root, "config", "protocol.ext.allow", "always");
  git(root, "config", "remote.origin.receivepack", canary.program);
  git(root, "config", "remote.origin.uploadpack", canary.program);
  git(root, "config", "remote.origin.pushurl", `file://${bare}`);
  git(root, "config", `remote.file://${bare}.uploadpack`, canary.program);
  git(root, "remote", "add", "evil", `ext::${canary.program}`);
  git(root, "remote", "add", "vcs", canary.program);
  git(root, "config", "remote.vcs.vcs", "ext");
  tryGit(root, "push", "-q", "origin", "HEAD:refs/heads/y");
  expect(canary.sang()).toBe(true); // plain git falls into it
  await pushBranch(root, { remote: "origin", branch: "x", sha });
  expect(await remoteHead(root, "origin", "x")).toBe(sha);
  for (const remote of ["evil", "vcs", `ext::${canary.program}`]) {
    await failure(pushBranch(root, { remote, branch: "x", sha }));
    await failure(remoteHead(root, remote, "x"));
  }
  expect(canary.sang()).toBe(false);
  expect(refsOf(bare)).toBe(`${sha} refs/heads/x`);
});

test.for([
  ["a remote that is an option", { remote: "--receive-pack=x" }],
  ["an empty remote", { remote: "" }],
  ["a remote of two lines", { remote: "a\nb" }],
  ["a branch that is an option", { branch: "-x" }],
  ["an empty branch", { branch: "" }],
  ["a pattern", { branch: "*" }],
  ["two refs", { branch: "a:b" }],
  ["a branch that goes up", { branch: "a/../b" }],
  ["a branch that begins with a dot", { branch: "a/.b" }],
  ["a variable that steers git", { env: { GIT_DIR: "/" } }],
] as const)("refuses %s", async ([, change]) => {
  const { root } = aPair();
  const push: PushOptions = { remote: "origin", branch: "x", sha: headOf(root), ...change };
  expect(await failureCode(pushBranch(root, push))).toBe("ERR_INVALID_ARGUMENT");
  const asking = remoteHead(root, push.remote, push.branch, { env: push.env });
  expect(await failureCode(asking)).toBe("ERR_INVALID_ARGUMENT");
});

test("refuses a short name for the commit", async () => {
  const { root } = aPair();
  const push = { remote: "origin", branch: "x", sha: "HEAD" };
  expect(await failureCode(pushBranch(root, push))).toBe("ERR_BAD_REVISION");
});

test("ends the user's hook too when it is aborted, and hands it what it is given", async () => {
  const { root } = aPair();
  const scene = aFolder();
  const [begun, go, done] = [join(scene, "begun"), join(scene, "go"), join(scene, "done")];
  const dispose = () => writeFileSync(go, "");
  onTestFinished(dispose);
  const hook = `echo "$MARK" > '${begun}'; until [ -e '${go}' ]; do sleep 0.1; done; touch '${done}'`;
  script(join(root, ".git/hooks"), "pre-push", hook);
  const controller = new AbortController();
  const pushing = pushBranch(root, {
    remote: "origin",
    branch: "x",
    sha: headOf(root),
    env: { MARK: "m" },
    signal: controller.signal,
  });
  while (!existsSync(begun) || readFileSync(begun, "utf8") === "") await sleep(10);
  controller.abort(new Error("enough"));
  await expect(pushing).rejects.toThrow("enough");
  dispose();
  await sleep(500);
  expect(existsSync(done)).toBe(false);
  expect(readFileSync(begun, "utf8")).toBe("m\n");
});

test.for([
  ["as it is", [], "https://github.com/acme/w.git", "https://github.com/acme/w.git"],
  [
    "from the user's abbreviation",
    [["url.https://github.com/.insteadOf", "gh:"]],
    "gh:acme/w",
    "https://github.com/acme/w",
  ],
  ["without a token", [], "https://x:ghp_1@github.com/acme/w", "https://github.com/acme/w"],
] as const)("tells a remote's URL %s", async ([, settings, url, expected]) => {
  const root = aRepository();
  for (const [name, value] of settings) git(root, "config", name, value);
  git(root, "remote", "add", "origin", url);
  expect(await remoteUrl(root, "origin")).toBe(expected);
});

test("asks nobody for a URL, even where a remote is a command", async () => {
  const root = aRepository();
  const canary = aCanary();
  git(root, "config", "protocol.ext.allow", "always");
  git(root, "remote", "add", "origin", `ext::${canary.program}`);
  write(root, "b.txt", "b");
  expect(await remoteUrl(root, "origin")).toBe(`ext::${canary.program}`);
  expect(canary.sang()).toBe(false);
});
