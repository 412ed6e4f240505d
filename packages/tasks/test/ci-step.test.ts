import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { createCiStep } from "../src/steps/ci.ts";
import type { StepExecutor, StepOutcome } from "../src/steps/step.ts";
import type { FakeGhState } from "./fake-gh.ts";
import {
  aTestFolder,
  git,
  type GitTask,
  makeGitTask,
  REPOSITORY,
  settleGit,
  stepInput,
} from "./git-task.ts";

const { dir: base, remove } = aTestFolder();
beforeAll(() => settleGit(base));
afterAll(remove);

let count = 0;
let of: GitTask;
let head: string;
beforeEach(() => {
  count += 1;
  of = makeGitTask(join(base, String(count)));
  git(of.worktree, "commit", "-q", "--allow-empty", "-m", "work");
  git(of.worktree, "push", "-q", "origin", "HEAD:fix/it");
  head = git(of.worktree, "rev-parse", "HEAD");
  of.gh.set({ pullRequests: [aPullRequest(1)] });
});

function aPullRequest(number: number): FakeGhState["pullRequests"][number] {
  return {
    number,
    repository: REPOSITORY,
    state: "OPEN",
    headRefName: "fix/it",
    headRefOid: head,
    baseRefName: "main",
    isCrossRepository: false,
    title: "",
    body: "",
  };
}

/** The step on a clock that continues by what is slept; `each` is called after each sleep. */
function aStep(each: (slept: number) => void = () => {}): StepExecutor & { slept: number[] } {
  const slept: number[] = [];
  const clock = (): number => slept.reduce((sum, ms) => sum + ms, 0);
  const sleep = async (ms: number): Promise<void> => {
    slept.push(ms);
    each(slept.length);
  };
  return { ...createCiStep({ sleep, clock }), slept };
}

function run(step: StepExecutor, change?: Parameters<typeof stepInput>[2]): Promise<StepOutcome> {
  return step.run(stepInput(of, "ci_wait", change));
}

const PASS = { name: "build", bucket: "pass" };
const PENDING = { name: "test", bucket: "pending" };
const FAIL = { name: "lint\u001b[31m", bucket: "fail" };

test("waits ever longer for the checks, and believes that they passed when it has seen it twice", async () => {
  const later = { name: "deploy", bucket: "pending" };
  const skipped = { name: "deploy", bucket: "skipping" };
  // A job that waits for another is reported only once that one has ended.
  of.gh.set({
    checks: [[], [PENDING], [PENDING], [PASS], [PASS, later], [PASS, skipped], [PASS, skipped]],
  });
  const step = aStep();
  expect(await run(step)).toMatchObject({
    kind: "completed",
    summary: expect.stringContaining(`2 checks of ${head.slice(0, 10)} passed`),
    metadata: { ci: "passed", ci_commit_sha: head },
  });
  expect(step.slept).toEqual([10_000, 15_000, 22_500, 10_000, 50_625, 10_000]);
});

test.for([["fail"], ["cancel"]])(
  "fails with the names of the checks: %s",
  async ([bucket = ""]) => {
    of.gh.set({ checks: [[PASS, PENDING, { ...FAIL, bucket }]] });
    const outcome = await run(aStep());
    expect(outcome).toMatchObject({
      kind: "failed",
      awaiting: "ci",
      retryable: false,
      reason: expect.stringContaining(`CI failed: lint\nsee gh pr checks 1 --repo ${REPOSITORY}`),
      metadata: { ci: "failed" },
    });
  },
);

test("does not take the checks of another commit for those of the work tree's", async () => {
  of.gh.set({ checks: [[PASS]] });
  git(of.worktree, "commit", "-q", "--allow-empty", "-m", "not pushed yet");
  const push = (): unknown => git(of.worktree, "push", "-q", "origin", "HEAD:fix/it");
  const step = aStep((slept) => slept === 2 && push());
  const sha = git(of.worktree, "rev-parse", "HEAD");
  expect(await run(step)).toMatchObject({ kind: "completed", metadata: { ci_commit_sha: sha } });
  const asked = of.gh.calls().map(({ args }) => args[1]);
  expect(asked).toEqual(["list", "view", "view", "view", "checks", "view", "checks"]);
});

test("fails where the pull request has continued to what others have pushed", async () => {
  of.gh.set({ checks: [[PASS]] });
  git(of.worktree, "commit", "-q", "--allow-empty", "-m", "theirs");
  git(of.worktree, "branch", "theirs");
  git(of.worktree, "reset", "-q", "--hard", head);
  const moving = aStep((slept) => {
    if (slept === 1) git(of.worktree, "push", "-q", "origin", "theirs:fix/it");
  });
  expect(await run(moving)).toMatchObject({ kind: "failed", metadata: { ci: "elsewhere" } });
});

test("ends in time, and says what it waited for", async () => {
  of.gh.set({ checks: [[PASS, PENDING]] });
  const step = aStep();
  const outcome = await run(step, { definition: { timeoutMs: 60_000 } });
  expect(outcome).toMatchObject({
    kind: "failed",
    awaiting: "ci",
    reason: expect.stringContaining("timed out after 1 min: waiting for 1 of 2 checks: test"),
    metadata: { ci: "timed_out" },
  });
  expect(step.slept.reduce((sum, ms) => sum + ms, 0)).toBe(60_000);
});

test("says that nobody has reported a check, after 2 minutes", async () => {
  const step = aStep();
  expect(await run(step)).toMatchObject({ kind: "completed", metadata: { ci: "none" } });
  expect(step.slept.reduce((sum, ms) => sum + ms, 0)).toBeGreaterThanOrEqual(120_000);
});

test("waits out a time without the network", async () => {
  of.gh.set({ checks: [[PASS]], fails: { view: { stderr: "dial tcp: i/o timeout\n" } } });
  const step = aStep((slept) => slept === 3 && of.gh.set({ fails: {} }));
  expect(await run(step)).toMatchObject({ kind: "completed", metadata: { ci: "passed" } });
});

test.for([
  ["nobody is logged in", { isLoggedIn: false }, /gh auth login/],
  ["gh is too old", { fails: { checks: { stderr: "unknown flag: --json\n" } } }, /gh 2\.50/],
  ["gh answers nonsense", { fails: { checks: { stdout: '[{"bucket":"ok"}]' } } }, /cannot be seen/],
] as const)("waits for a person, and passes nothing, where %s", async ([, state, reason]) => {
  of.gh.set(state);
  expect(await aStep().look?.(stepInput(of, "ci_wait"))).toBeUndefined();
  expect(await run(aStep())).toMatchObject({
    kind: "awaiting",
    awaiting: "ci",
    reason: expect.stringMatching(reason),
  });
});

test("skips where there is no pull request or no remote", async () => {
  const look = async (): Promise<unknown> => aStep().look?.(stepInput(of, "ci_wait"));
  expect(await look()).toBeUndefined();
  of.gh.set({ pullRequests: [{ ...aPullRequest(1), isCrossRepository: true }] });
  expect(await look()).toMatchObject({ evidence: "fix/it has no pull request" });
  git(of.worktree, "remote", "remove", "origin");
  expect(await look()).toMatchObject({ evidence: "the repository has no remote" });
});

test("stops at once when it is told to", async () => {
  of.gh.set({ checks: [[PENDING]] });
  const controller = new AbortController();
  const waiting = createCiStep().run(stepInput(of, "ci_wait", { signal: controller.signal }));
  await expect.poll(() => of.gh.calls().length).toBeGreaterThan(0);
  controller.abort();
  expect(await waiting).toMatchObject({ kind: "stopped", why: "interrupted" });
});
