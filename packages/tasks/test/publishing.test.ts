import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { PROGRAM_PARTS } from "../src/engine/drive-task.ts";
import { openTask } from "../src/open-task.ts";
import type { ReviewGap } from "../src/operations/review-gaps.ts";
import { retryTask } from "../src/operations/people.ts";
import { approveTask, reviewOf } from "../src/operations/review.ts";
import { validateTask } from "../src/operations/validate-task.ts";
import type { RunningStep, StepOutcome } from "../src/steps/step.ts";
import type { TemplateStep } from "../src/templates/template.ts";
import { aTestFolder, git, script, settleGit, write } from "./git-task.ts";
import { aRealTask, type RealTask } from "./real-task.ts";

const folder = aTestFolder();
settleGit(folder.dir);
afterAll(folder.remove);

const { executors } = PROGRAM_PARTS;

/** Drives a task whose loop leaves its work uncommitted, with something happening in the loop, or right before a git step. */
function drive(
  task: RealTask,
  before: string = "",
  meanwhile: () => void = () => {},
): ReturnType<RealTask["drive"]> {
  const loop = {
    run: async ({ worktree, step }: RunningStep): Promise<StepOutcome> => {
      write(worktree, "parser.js", "export const parse = (text) => text ?? {};\n");
      if (step.name === before) meanwhile();
      return { kind: "completed", summary: "done" };
    },
  };
  const run = (input: RunningStep): Promise<StepOutcome> => {
    if (input.step.name === before) meanwhile();
    return executors.git.run(input);
  };
  return task.drive({}, { executors: { ...executors, loop, git: { ...executors.git, run } } });
}

function commitEvil({ worktree }: RealTask): void {
  write(worktree, "evil.js", "evil\n");
  git(worktree, "add", "-A");
  git(worktree, "commit", "-qm", "evil");
}

async function approve(task: RealTask, ...accepted: ReviewGap["kind"][]): Promise<void> {
  const { taskDir } = task.prepared;
  const shown = await reviewOf(await openTask(taskDir, task.ports), task.ports);
  await approveTask(taskDir, shown, task.ports, accepted);
}

async function validate({ prepared: { taskDir }, ports }: RealTask): Promise<void> {
  const { hook, task } = await openTask(taskDir, ports);
  const { signal } = new AbortController();
  const { kind } = await validateTask(taskDir, { task, hook, ports, tell: () => {}, signal });
  expect(kind).toBe("passed");
}

const askedIn = (task: RealTask) => {
  const { awaiting, currentStep } = task.hook();
  return { step: currentStep?.stepName, ...awaiting };
};
const pushedIn = ({ bare }: RealTask): string =>
  git(bare, "for-each-ref", "--format=%(objectname)", "refs/heads/fix", "refs/heads/patch");
const headOf = ({ worktree }: RealTask): string => git(worktree, "rev-parse", "HEAD");

const CHANGED = {
  kind: "review",
  reason: expect.stringMatching(/^changed since the validation: evil\.js; .*atlas approve/u),
};

test("a commit that comes after the validation is not pushed until it is validated and approved", async () => {
  const task = await aRealTask(join(folder.dir, "validated"), { template: "patch" });
  expect(await drive(task, "git_push", () => commitEvil(task))).toMatchObject({
    stopped: "awaiting",
  });
  expect(askedIn(task)).toEqual({ step: "git_push", ...CHANGED });
  expect(pushedIn(task)).toBe("");
  await expect(approve(task)).rejects.toMatchObject({
    code: "ERR_NOT_ACCEPTED",
    message: "nothing was approved: changed since the validation: evil.js",
  });

  await validate(task);
  await approve(task);
  expect(await drive(task)).toMatchObject({ stopped: "completed" });
  expect(pushedIn(task)).toBe(headOf(task));
});

test("a commit that comes after the validation is pushed where a person has accepted it as it is", async () => {
  const task = await aRealTask(join(folder.dir, "accepted"), { template: "patch" });
  await drive(task, "git_push", () => commitEvil(task));
  await approve(task, "unvalidated");
  expect(await drive(task)).toMatchObject({ stopped: "completed" });
  expect(pushedIn(task)).toBe(headOf(task));
});

test("a commit that is made while a refused push waits is not pushed by the retry", async () => {
  const task = await aRealTask(join(folder.dir, "retried"), { template: "patch" });
  const hook = join(task.bare, "hooks/pre-receive");
  script(hook, "exit 1");
  expect(await drive(task)).toMatchObject({ stopped: "awaiting" });
  script(hook, "exit 0");
  commitEvil(task);
  await retryTask(task.prepared.taskDir, task.ports);
  await drive(task);
  expect(askedIn(task)).toEqual({ step: "git_push", ...CHANGED });
  expect(pushedIn(task)).toBe("");

  git(task.worktree, "reset", "-q", "--hard", "HEAD~1");
  await approve(task);
  expect(await drive(task)).toMatchObject({ stopped: "completed" });
  expect(pushedIn(task)).toBe(headOf(task));
});

test("no pull request is opened for a commit that comes after the validation", async () => {
  const task = await aRealTask(join(folder.dir, "asked"), { template: "task" });
  await drive(task, "git_pr", () => commitEvil(task));
  expect(askedIn(task)).toEqual({ step: "git_pr", ...CHANGED });
  expect(task.gh.state().pullRequests).toEqual([]);
});

test("what was validated and is in no commit is named before a commit without it is pushed", async () => {
  const steps = (["implement", "validate", "git_push"] as const).map((name): TemplateStep => {
    const type = { implement: "loop", validate: "validation", git_push: "git" } as const;
    const action = name === "git_push" ? "push" : undefined;
    const rest = { description: name, prompt: name, maxAttempts: 2, recovery: "retry" } as const;
    return { name, type: type[name], action, ...rest };
  });
  const task = await aRealTask(join(folder.dir, "uncommitted"), {
    template: {
      ...{ id: "own", aliases: [], description: "", branchPrefix: "fix", variables: {} },
      steps,
    },
  });
  await drive(task, "implement", () => {
    git(task.worktree, "commit", "-q", "--allow-empty", "-m", "mine");
  });
  expect(askedIn(task)).toMatchObject({
    step: "git_push",
    kind: "review",
    reason: expect.stringMatching(/^not committed: parser\.js; /u),
  });
  expect(pushedIn(task)).toBe("");
  await expect(approve(task)).rejects.toMatchObject({ code: "ERR_NOT_ACCEPTED" });
  await approve(task, "uncommitted");
  expect(await drive(task)).toMatchObject({ stopped: "completed" });
  expect(pushedIn(task)).toBe(headOf(task));
});
