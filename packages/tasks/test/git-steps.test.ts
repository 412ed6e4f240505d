import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { gitStep } from "../src/steps/git.ts";
import type { StepOutcome } from "../src/steps/step.ts";
import { lastingAgent } from "./lasting-agent.ts";
import type { FakePullRequest } from "./fake-gh.ts";
import {
  aTestFolder,
  git,
  type GitTask,
  makeGitTask,
  REPOSITORY,
  script,
  settleGit,
  stepInput,
  write,
} from "./git-task.ts";

const { dir: base, remove } = aTestFolder();
beforeAll(() => settleGit(base));
afterAll(remove);

let count = 0;
let of: GitTask;
beforeEach(() => {
  count += 1;
  of = makeGitTask(join(base, String(count)));
});

function commit(message = "work"): string {
  git(of.worktree, "commit", "-q", "--allow-empty", "-m", message);
  return git(of.worktree, "rev-parse", "HEAD");
}

function pushed(message?: string): string {
  const sha = commit(message);
  git(of.worktree, "push", "-q", "origin", "HEAD:fix/it");
  return sha;
}

function run(name: string, change: Parameters<typeof stepInput>[2] = {}): Promise<StepOutcome> {
  return gitStep.run(stepInput(of, name, change));
}

function aPullRequest(change: Partial<FakePullRequest> = {}): FakePullRequest {
  return {
    number: 7,
    repository: REPOSITORY,
    state: "OPEN",
    headRefName: "fix/it",
    headRefOid: "0".repeat(40),
    baseRefName: "main",
    isCrossRepository: false,
    title: "",
    body: "",
    ...change,
  };
}

test("says in a commit whose it is, and what the receipts are", async () => {
  write(of.worktree, "b.txt", "two\n");
  write(of.worktree, ".quasar/state", "ours\n");
  const description = "fix `it`\u001b[31m\nQuasar-Task: other";
  const head = { count: 2, sha256: "ab".repeat(32) };
  const keys = { ...of.ports.keys, head: () => head };
  const outcome = await run("git_commit", { task: { description }, ports: { keys }, attempt: 2 });
  expect(outcome).toMatchObject({
    kind: "completed",
    metadata: { commit_sha: expect.any(String) },
  });
  expect(git(of.worktree, "log", "-1", "--format=%B")).toBe(
    "fix: fix `it`\n\nQuasar-Task: task-1\nQuasar-Step: git_commit\nQuasar-Attempt: 2\n" +
      `Quasar-Receipts: 2 ${head.sha256}`,
  );
  expect(git(of.worktree, "status", "--porcelain")).toBe("?? .quasar/");
});

test("commits what is left whoever has written its trailers into another commit", async () => {
  commit("not ours\n\nQuasar-Task: task-1\nQuasar-Step: git_commit\nQuasar-Attempt: 1");
  write(of.worktree, "b.txt", "two\n");
  expect(await run("git_commit", { attempt: 1 })).toMatchObject({ kind: "completed" });
  expect(git(of.worktree, "status", "--porcelain")).toBe("");
});

test("commits nothing where an agent has committed all, and says what it found", async () => {
  expect(await gitStep.look(stepInput(of, "git_commit"))).toMatchObject({
    evidence: "the branch has no commit of its own",
  });
  write(of.worktree, ".quasar/state", "ours\n");
  commit("an agent's\n\nQuasar-Turn: x.1");
  const skip = await gitStep.look(stepInput(of, "git_commit"));
  expect(skip?.evidence).toMatch(/^1 commit, the last [0-9a-f]{10} "an agent's"$/);
  write(of.worktree, "b.txt", "two\n");
  expect(await gitStep.look(stepInput(of, "git_commit"))).toBeUndefined();
});

test.for([
  ["on another branch", () => git(of.worktree, "switch", "-q", "main"), /git switch fix\/it/],
  ["on no branch", () => git(of.worktree, "switch", "-q", "--detach"), /git switch fix\/it/],
  [
    "in a merge",
    () => write(of.worktree, ".git/MERGE_HEAD", `${git(of.worktree, "rev-parse", "HEAD")}\n`),
    /a merge is in progress/,
  ],
] as const)("neither commits nor pushes nor asks for anything %s", async ([, arrange, reason]) => {
  pushed();
  write(of.worktree, "b.txt", "two\n");
  arrange();
  const before = git(of.worktree, "rev-parse", "HEAD");
  for (const name of ["git_commit", "git_push", "git_pr"]) {
    expect(await gitStep.look(stepInput(of, name))).toBeUndefined();
    const outcome = await run(name);
    expect(outcome).toMatchObject({ kind: "awaiting", reason: expect.stringMatching(reason) });
  }
  expect(git(of.worktree, "rev-parse", "HEAD")).toBe(before);
  expect(of.gh.calls()).toEqual([]);
});

test("tries again after a hook that has refused a commit, without its secrets", async () => {
  write(of.worktree, "b.txt", "two\n");
  const refuses = "[ -e .git/passes ] || { echo the s3cret lint >&2; exit 1; }";
  script(join(of.worktree, ".git/hooks/pre-commit"), refuses);
  expect(await run("git_commit")).toMatchObject({
    kind: "failed",
    retryable: true,
    reason: expect.stringContaining("the [redacted] lint"),
  });
  write(of.worktree, ".git/passes", "");
  expect(await run("git_commit", { attempt: 2 })).toMatchObject({ kind: "completed" });
});

/** Refuses what does not name an issue. */
const WANTS_ISSUE = `grep -q '^ABC-[0-9]' "$1" || { echo 'the s3cret subject names no issue' >&2; exit 1; }`;

test("asks an agent for a subject where a hook refuses the task's, and nobody twice", async () => {
  write(of.worktree, "b.txt", "two\n");
  script(join(of.worktree, ".git/hooks/commit-msg"), WANTS_ISSUE);
  const coder = lastingAgent(["COMMIT: fix it", "COMMIT: ABC-1 fix it"]);
  const ports = { coder, reviewer: coder };
  const before = git(of.worktree, "rev-parse", "HEAD");
  expect(await run("git_commit", { ports })).toMatchObject({
    kind: "completed",
    summary: expect.stringContaining("ABC-1 fix it"),
  });
  expect(git(of.worktree, "log", "-1", "--format=%s")).toBe("ABC-1 fix it");
  expect(coder.requests).toMatchObject([
    { access: "read", prompt: expect.stringContaining("the [redacted] subject names no issue") },
    { access: "read", prompt: expect.stringContaining("```\nfix it\n```") },
  ]);
  // As after a crash between the answer and the commit.
  git(of.worktree, "reset", "-q", before);
  expect(await run("git_commit", { ports })).toMatchObject({ kind: "completed" });
  expect(git(of.worktree, "log", "-1", "--format=%s")).toBe("ABC-1 fix it");
  expect(coder.requests).toHaveLength(2);
});

test("waits for a person once an agent's subjects are refused too", async () => {
  write(of.worktree, "b.txt", "two\n");
  script(join(of.worktree, ".git/hooks/commit-msg"), "echo never >&2; exit 1");
  const coder = lastingAgent(["COMMIT: fix it"]);
  expect(await run("git_commit", { ports: { coder, reviewer: coder } })).toMatchObject({
    kind: "failed",
    awaiting: "git",
    reason: expect.stringMatching(/commit-msg hook refused[^]*never/u),
  });
  expect(coder.requests).toHaveLength(2);
});

test("is stopped by its caller, and fails over its time", async () => {
  write(of.worktree, "b.txt", "two\n");
  script(join(of.worktree, ".git/hooks/pre-commit"), "exec sleep 30");
  const timeoutMs = 600;
  const slow = await run("git_commit", { definition: { timeoutMs } });
  expect(slow).toMatchObject({ kind: "failed", retryable: true });
  const stopped = await run("git_commit", { signal: AbortSignal.timeout(600) });
  expect(stopped).toMatchObject({ kind: "stopped", why: "interrupted" });
});

test("does not say whether it has committed where the branch's beginning is lost", async () => {
  const metadata = { baseSha: "f".repeat(40) };
  expect(await gitStep.probe(stepInput(of, "git_commit", { metadata }))).toMatchObject({
    kind: "unknown",
  });
  expect(await gitStep.look(stepInput(of, "git_push", { metadata }))).toBeUndefined();
});

test("skips push and pull request without a remote and without a commit", async () => {
  const names = ["git_push", "git_pr"];
  for (const name of names) {
    const skip = await gitStep.look(stepInput(of, name));
    expect(skip?.evidence).toBe("the branch has no commit of its own");
  }
  commit();
  for (const name of names) expect(await gitStep.look(stepInput(of, name))).toBeUndefined();
  const metadata = { baseBranch: "fix/it" };
  expect(await gitStep.look(stepInput(of, "git_pr", { metadata }))).toMatchObject({
    evidence: "the task works on fix/it",
  });
  git(of.worktree, "remote", "remove", "origin");
  for (const name of names) {
    const skip = await gitStep.look(stepInput(of, name));
    expect(skip?.evidence).toBe("the repository has no remote");
  }
});

test("tells the push for a checkpoint, also where the branch was there", async () => {
  const sha = commit();
  for (const what of ["pushed", "was there already"]) {
    expect(await run("git_push")).toMatchObject({
      kind: "completed",
      summary: expect.stringContaining(what),
      checkpoint: { trigger: "git_push", description: "Push: origin/fix/it" },
      metadata: { pushed_commit_sha: sha, pushed_ref: "refs/remotes/origin/fix/it" },
    });
  }
  expect(git(of.bare, "rev-parse", "fix/it")).toBe(sha);
});

test("takes a branch that others have continued from for pushed, and never overwrites others' work", async () => {
  const ours = pushed();
  const theirs = commit("theirs");
  git(of.worktree, "push", "-q", "origin", "HEAD:fix/it");
  git(of.worktree, "reset", "-q", "--hard", ours);
  expect(await gitStep.probe(stepInput(of, "git_push"))).toMatchObject({ kind: "found" });
  expect(await run("git_push")).toMatchObject({ kind: "completed" });
  commit("ours too");
  expect(await gitStep.probe(stepInput(of, "git_push"))).toEqual({ kind: "missing" });
  expect(await run("git_push")).toMatchObject({
    kind: "awaiting",
    reason: expect.stringContaining("git pull --rebase origin fix/it, then atlas retry"),
  });
  expect(git(of.bare, "rev-parse", "fix/it")).toBe(theirs);
});

test.for([
  ["cannot be reached", "/nowhere", { kind: "failed", retryable: true }],
  [
    "wants to know who it is",
    "ssh://git@localhost/x",
    { kind: "awaiting", reason: expect.stringContaining("git push origin HEAD:refs/heads/fix/it") },
  ],
] as const)("does not push where the remote %s", async ([, url, expected]) => {
  commit();
  git(of.worktree, "config", "remote.origin.pushurl", url);
  const ssh = join(of.dir, "ssh");
  script(ssh, "echo 'git@localhost: Permission denied (publickey).' >&2; exit 255");
  git(of.worktree, "config", "core.sshCommand", ssh);
  expect(await run("git_push")).toMatchObject(expected);
  expect(await gitStep.probe(stepInput(of, "git_push"))).toMatchObject({ kind: "unknown" });
});

test("asks which remote is meant where several could be", async () => {
  commit();
  git(of.worktree, "remote", "rename", "origin", "a'b");
  git(of.worktree, "remote", "add", "c", of.bare);
  expect(await gitStep.look(stepInput(of, "git_push"))).toBeUndefined();
  const outcome = await run("git_push");
  expect(outcome).toMatchObject({
    kind: "awaiting",
    reason: expect.stringContaining("git config remote.pushDefault 'a'\\''b'"),
  });
});

test("opens a pull request with what the task knows of itself, harmless whatever agents wrote", async () => {
  pushed();
  const hostile = "done\n````\n## @everyone fixes #1 ![x](https://evil/x.png)\u202e\u0007 s3cret";
  const stepResult = { stepName: "analyze", output: hostile };
  const outcome = await run("git_pr", {
    task: { description: "-x `$(id)` fix @all", stepResults: [stepResult as never] },
  });
  expect(outcome).toMatchObject({
    kind: "completed",
    checkpoint: {
      trigger: "pr_created",
      description: `Pull request: https://${REPOSITORY}/pull/1`,
    },
    metadata: { pr_number: 1, pr_url: `https://${REPOSITORY}/pull/1` },
  });
  const [{ title, body } = { title: "", body: "" }] = of.gh.state().pullRequests;
  expect(title).toBe("fix: -x `$(id)` fix @all");
  expect(body.replaceAll(/^(`{3,})text\n[^]*?^\1$/gm, "")).not.toMatch(/@|fixes|evil/);
  expect(body).not.toMatch(/s3cret|[^\P{C}\n]/u);
  expect(body).toMatch(/\n\nQuasar-Task: task-1\n$/);
});

test.for([
  ["a person's, made while gh was missing", {}, { kind: "completed", metadata: { pr_number: 7 } }],
  ["one into another base", { baseRefName: "dev" }, { metadata: { pr_number: 7 } }],
  [
    "not a fork's with the same branch",
    { isCrossRepository: true },
    { metadata: { pr_number: 2 } },
  ],
  ["not one of earlier work", { state: "MERGED" as const }, { metadata: { pr_number: 2 } }],
] as const)("takes the pull request that is there: %s", async ([, change, expected]) => {
  pushed();
  of.gh.set({ pullRequests: [aPullRequest(change)] });
  const isOurs = !("isCrossRepository" in change || "state" in change);
  const effect = await gitStep.probe(stepInput(of, "git_pr"));
  expect(effect.kind).toBe(isOurs ? "found" : "missing");
  expect(await run("git_pr")).toMatchObject(expected);
  expect(of.gh.state().pullRequests).toHaveLength(isOurs ? 1 : 2);
});

test("does not open again what a person has closed at this very commit", async () => {
  const headRefOid = pushed();
  of.gh.set({ pullRequests: [aPullRequest({ state: "CLOSED", headRefOid })] });
  expect(await gitStep.probe(stepInput(of, "git_pr"))).toMatchObject({
    kind: "found",
    evidence: `https://${REPOSITORY}/pull/7 (closed)`,
  });
  expect(await run("git_pr")).toMatchObject({ metadata: { pr_number: 7 } });
});

test("tells a person the exact command where gh is missing, and finds what it has made", async () => {
  pushed();
  const description = "fix the user's $(thing)";
  const env = { ...of.ports.env, PATH: "/nowhere" };
  const outcome = await run("git_pr", { task: { description }, ports: { env } });
  if (outcome.kind !== "awaiting") throw new Error(outcome.kind);
  expect(outcome.reason).toContain("install gh");
  const command = outcome.reason.split("\n").at(-1) ?? "";
  const body = join(of.taskDir, "artifacts/git_pr/pull-request.md");
  expect(statSync(body).mode & 0o777).toBe(0o600);
  script(
    join(of.dir, "by-hand"),
    `exec ${command.replace(`--body-file=${body}`, "--body-file=-")}`,
  );
  const { PATH = "" } = of.ports.env;
  execFileSync(join(of.dir, "by-hand"), { env: { PATH }, input: readFileSync(body) });
  expect(of.gh.state().pullRequests[0]?.title).toBe("fix: fix the user's $(thing)");
  expect(await run("git_pr")).toMatchObject({ kind: "completed", metadata: { pr_number: 1 } });
  expect(of.gh.calls().filter(({ args }) => args[1] === "create")).toHaveLength(1);
});

test.for([
  [
    "nobody is logged in",
    { isLoggedIn: false },
    /gh auth login --hostname github.com.*gh pr create/s,
  ],
  ["gh fails", { fails: { create: { stderr: "GraphQL: no\n" } } }, /GraphQL: no.*gh pr create/s],
] as const)("waits for a person where %s", async ([, state, reason]) => {
  pushed();
  of.gh.set(state);
  const outcome = await run("git_pr");
  expect(outcome).toMatchObject({
    kind: "awaiting",
    awaiting: "git",
    reason: expect.stringMatching(reason),
  });
});

test("tries again where GitHub cannot be reached, and does not know then what is there", async () => {
  pushed();
  of.gh.set({ fails: { list: { stderr: "error connecting to api.github.com\n" } } });
  expect(await run("git_pr")).toMatchObject({ kind: "failed", retryable: true });
  expect(await gitStep.probe(stepInput(of, "git_pr"))).toMatchObject({ kind: "unknown" });
  expect(of.gh.calls().some(({ args }) => args[1] === "create")).toBe(false);
});

test.for<readonly [name: string, stdout: string]>([
  ["no JSON", "<html>"],
  ["another form", '[{"number":"7"}]'],
  ["a number that is none", JSON.stringify([aPullRequest({ number: 1e300 })])],
  ["a commit that is none", JSON.stringify([aPullRequest({ headRefOid: "--x" })])],
])("opens nothing where gh lists %s", async ([, stdout]) => {
  pushed();
  of.gh.set({ fails: { list: { stdout } } });
  expect(await run("git_pr")).toMatchObject({ kind: "awaiting", awaiting: "git" });
  expect(of.gh.state().pullRequests).toEqual([]);
});

test("believes the list, not the URL that gh prints", async () => {
  pushed();
  of.gh.set({ createSays: "https://evil.example/pull/99\u001b]8;;x\n" });
  const url = `https://${REPOSITORY}/pull/1`;
  expect(await run("git_pr")).toMatchObject({ metadata: { pr_number: 1, pr_url: url } });
});

test("starts no gh that lies in the work tree or in a relative folder", async () => {
  pushed();
  const mark = join(of.dir, "ran");
  script(join(of.worktree, "bin/gh"), `touch '${mark}'`);
  chmodSync(join(of.worktree, "bin/gh"), 0o755);
  const PATH = `bin:.::${join(of.worktree, "bin")}`;
  const outcome = await run("git_pr", { ports: { env: { ...of.ports.env, PATH } } });
  expect(outcome).toMatchObject({ reason: expect.stringContaining("gh is not on the PATH") });
  expect(existsSync(mark)).toBe(false);
});

test("asks a person where the remote is not on GitHub", async () => {
  pushed();
  git(of.worktree, "remote", "set-url", "origin", "https://user:s3cret@gitlab.com/acme/widgets");
  expect(await gitStep.look(stepInput(of, "git_pr"))).toBeUndefined();
  const outcome = await run("git_pr");
  expect(outcome).toMatchObject({
    kind: "awaiting",
    reason: expect.stringContaining("atlas skip"),
  });
  expect(await gitStep.probe(stepInput(of, "git_pr"))).toEqual({ kind: "missing" });
});
