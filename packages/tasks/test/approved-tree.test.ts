import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { StepType } from "@quasar/hookfile";
import { afterAll, expect, test } from "vitest";
import { PROGRAM_PARTS } from "../src/engine/drive-task.ts";
import type { DriveResult } from "../src/engine/drive.ts";
import { openTask } from "../src/open-task.ts";
import { rejectTask } from "../src/operations/people.ts";
import type { ReviewGap } from "../src/operations/review-gaps.ts";
import { approveTask, reviewOf } from "../src/operations/review.ts";
import { gitStep } from "../src/steps/git.ts";
import { readTask } from "../src/task-store.ts";
import { stepInput } from "../src/engine/session.ts";
import type { RunningStep, StepOutcome } from "../src/steps/step.ts";
import type { GitAction, TemplateStep } from "../src/templates/template.ts";
import { aTestFolder, git, script, settleGit, write } from "./git-task.ts";
import { lastingAgent } from "./lasting-agent.ts";
import { aRealTask, type RealTask } from "./real-task.ts";

const folder = aTestFolder();
settleGit(folder.dir);
afterAll(folder.remove);

const ACTIONS: Readonly<Record<string, GitAction>> = {
  git_commit: "commit",
  git_push: "push",
  git_pr: "create_pr",
};
const TYPES: Readonly<Record<string, StepType>> = {
  implement: "loop",
  polish: "loop",
  validate: "validation",
  review: "human",
};

function aStep(name: string): TemplateStep {
  const action = ACTIONS[name];
  const type = TYPES[name] ?? "git";
  const recovery = type === "human" ? "manual" : "retry";
  return { name, type, description: name, prompt: name, maxAttempts: 2, recovery, action };
}

let count = 0;

/** A task of a person's own template with these steps. */
function aTask(steps: string): Promise<RealTask> {
  const template = {
    ...{ id: "own", aliases: [], description: "", branchPrefix: "fix", variables: {} },
    steps: steps.split(" ").map(aStep),
  };
  return aRealTask(join(folder.dir, String((count += 1))), { template });
}

/**
 * Drives it with a loop that leaves its work uncommitted, a file named after its step.
 *
 * @param meanwhile - Happens right before a git step.
 */
function drive(
  task: RealTask,
  change: Partial<RealTask["ports"]> = {},
  meanwhile: () => void = () => {},
): Promise<DriveResult> {
  const loop = {
    run: async ({ worktree, step }: RunningStep): Promise<StepOutcome> => {
      write(worktree, `${step.name}.js`, `// ${step.name}\n`);
      return { kind: "completed", summary: "done" };
    },
  };
  const { executors: own } = PROGRAM_PARTS;
  const run = (input: RunningStep): Promise<StepOutcome> => {
    meanwhile();
    return own.git.run(input);
  };
  const executors = { ...own, loop, git: { ...own.git, run } };
  return task.drive({ ports: { ...task.ports, ...change } }, { executors });
}

async function approve(task: RealTask, ...accepted: ReviewGap["kind"][]): Promise<string> {
  const { taskDir } = task.prepared;
  const shown = await reviewOf(await openTask(taskDir, task.ports), task.ports);
  await approveTask(taskDir, shown, task.ports, accepted);
  return shown.diff.text;
}

/** What the engine finds before the step starts, and after a crash in it. */
function look({ prepared, hook, ports }: RealTask, name: string): Promise<readonly unknown[]> {
  const { taskDir } = prepared;
  const step = hook().steps.find((each) => each.name === name);
  if (step === undefined) throw new Error(name);
  const { signal } = new AbortController();
  const input = stepInput({ taskDir, task: readTask(taskDir), ports, signal }, step, hook());
  return Promise.all([gitStep.look(input), gitStep.probe(input)]);
}

function commitAll({ worktree }: RealTask, message: string): void {
  git(worktree, "add", "-A");
  git(worktree, "commit", "-qm", message);
}

const filesAt = ({ worktree }: RealTask, commit: string): string =>
  git(worktree, "ls-tree", "-r", "--name-only", commit).replaceAll("\n", " ");
const pushedIn = ({ bare }: RealTask): string =>
  git(bare, "for-each-ref", "--format=%(refname)", "refs/heads/fix");
const askedIn = (task: RealTask) => {
  const { awaiting, currentStep } = task.hook();
  return { step: currentStep?.stepName, ...awaiting };
};

test("what changes after the approval is neither committed nor pushed until it is approved too", async () => {
  const task = await aTask("implement review git_commit git_push");
  await drive(task);
  await approve(task);
  const head = git(task.worktree, "rev-parse", "HEAD");
  write(task.worktree, "implement.js", "// otherwise\n");
  write(task.worktree, "evil.js", "evil\n");

  expect(await drive(task)).toMatchObject({ stopped: "awaiting" });
  expect(askedIn(task)).toEqual({
    step: "git_commit",
    kind: "review",
    reason: expect.stringMatching(
      /^not what was approved: evil\.js, implement\.js; .*atlas approve/u,
    ),
  });
  expect(git(task.worktree, "rev-parse", "HEAD")).toBe(head);
  expect(pushedIn(task)).toBe("");

  expect(await approve(task)).toContain("evil.js");
  expect(await drive(task)).toMatchObject({ stopped: "completed" });
  expect(filesAt(task, "HEAD")).toBe("evil.js implement.js parser.js");
  expect(git(task.bare, "rev-parse", pushedIn(task))).toBe(git(task.worktree, "rev-parse", "HEAD"));
});

test("what changes after the approval can be sent back to whom it came from", async () => {
  const task = await aTask("implement review git_commit");
  await drive(task);
  await approve(task);
  write(task.worktree, "evil.js", "evil\n");
  await drive(task);
  await rejectTask(task.prepared.taskDir, { feedback: "without evil.js" }, task.ports);
  expect(task.hook().steps.map(({ status }) => status)).toEqual(["rework", "rework", "pending"]);
  expect(await drive(task)).toMatchObject({ stopped: "awaiting" });
  expect(askedIn(task)).toMatchObject({ step: "review" });
});

/** Checkpoints enough to push what was before them out of hook.json. */
function checkpoints({ ports, happen }: RealTask): void {
  const checkpoint = (n: number) => ({
    checkpointId: `ckpt-${n}`,
    createdAt: ports.now().toISOString(),
    ...{ stepName: "", stepIndex: -1, description: "periodic ".repeat(50), gitBranch: "" },
    ...{ gitDirty: true, trigger: "interval" as const },
  });
  const type = "checkpoint" as const;
  happen(...Array.from({ length: 201 }, (_, n) => ({ type, checkpoint: checkpoint(n) })));
}

test("an approval is not forgotten over the checkpoints that follow it", async () => {
  const task = await aTask("implement review git_commit");
  await drive(task);
  await approve(task);
  checkpoints(task);
  write(task.worktree, "evil.js", "evil\n");
  await drive(task);
  expect(askedIn(task)).toMatchObject({ step: "git_commit", kind: "review" });
});

test("where nobody can read what was approved, it is asked for again", async () => {
  const task = await aTask("implement review git_commit");
  await drive(task);
  await approve(task);
  checkpoints(task);
  checkpoints(task);
  rmSync(join(task.prepared.taskDir, "history/1.jsonl"));
  await drive(task);
  expect(askedIn(task)).toMatchObject({
    step: "git_commit",
    kind: "review",
    reason: expect.stringContaining("the history is damaged"),
  });
  await approve(task);
  expect(await drive(task)).toMatchObject({ stopped: "completed" });
  expect(filesAt(task, "HEAD")).toBe("implement.js parser.js");
});

test("what changes while it is committed is not in the commit", async () => {
  const task = await aTask("implement review git_commit");
  // The second attempt at the commit comes after the change.
  script(
    join(task.dir, "repo/.git/hooks/commit-msg"),
    `grep -q '^ABC-1' "$1" || { echo evil > evil.js; echo 'no issue is named' >&2; exit 1; }`,
  );
  await drive(task);
  await approve(task);
  const coder = lastingAgent(["COMMIT: ABC-1 fix it"]);
  expect(await drive(task, { coder, reviewer: coder })).toMatchObject({ stopped: "completed" });
  expect(filesAt(task, "HEAD")).toBe("implement.js parser.js");
  expect(readFileSync(join(task.worktree, "evil.js"), "utf8")).toBe("evil\n");
});

test("what a git hook makes of an approved commit is approved before it is pushed", async () => {
  const task = await aTask("implement review git_commit git_push");
  const formats = "echo formatted >> implement.js; git add implement.js";
  script(join(task.dir, "repo/.git/hooks/pre-commit"), formats);
  await drive(task);
  await approve(task);
  await drive(task);
  expect(askedIn(task)).toMatchObject({
    step: "git_commit",
    kind: "review",
    reason: expect.stringContaining("implement.js"),
  });
  expect(await look(task, "git_commit")).toEqual([undefined, { kind: "missing" }]);
  expect(await approve(task)).toContain("+formatted");
  expect(await look(task, "git_commit")).toEqual([
    expect.objectContaining({ reason: "there is nothing to commit" }),
    expect.objectContaining({ kind: "found" }),
  ]);
  expect(await drive(task)).toMatchObject({ stopped: "completed" });
  expect(git(task.bare, "show", `${pushedIn(task)}:implement.js`)).toContain("formatted");
});

test.for([
  ["git_push", (task: RealTask) => pushedIn(task)],
  [
    "git_pr",
    ({ gh }: RealTask) =>
      gh
        .state()
        .pullRequests.map(({ number }) => number)
        .join(" "),
  ],
] as const)(
  "%s takes no commit that was not approved, though no file is other than approved",
  async ([step, acted]) => {
    const task = await aTask(`implement git_commit review ${step}`);
    await drive(task);
    await approve(task);
    write(task.worktree, "evil.js", "evil\n");
    commitAll(task, "evil");
    git(task.worktree, "rm", "-q", "evil.js");
    if (step === "git_pr") git(task.worktree, "push", "-q", "origin", "HEAD");
    await drive(task);
    expect(askedIn(task)).toMatchObject({
      step,
      kind: "review",
      reason: expect.stringContaining("evil.js"),
    });
    expect(acted(task)).toBe("");

    await expect(approve(task)).rejects.toMatchObject({ code: "ERR_NOT_ACCEPTED" });
    git(task.worktree, "reset", "-q", "--hard", "HEAD~1");
    if (step === "git_pr") git(task.worktree, "push", "-qf", "origin", "HEAD");
    await approve(task);
    expect(await drive(task)).toMatchObject({ stopped: "completed" });
    expect(acted(task)).not.toBe("");
  },
);

test("what was approved as not committed is not asked for again when the branch is pushed", async () => {
  const task = await aTask("implement git_commit review git_push");
  await drive(task);
  write(task.worktree, "notes.txt", "mine\n");
  await approve(task, "uncommitted");
  expect(await drive(task)).toMatchObject({ stopped: "completed" });
  expect(filesAt(task, pushedIn(task).replace("refs/heads/", "")).split(" ")).toEqual([
    "implement.js",
    "parser.js",
  ]);
});

test("uncommitted work that no step commits is named once its branch is to be pushed", async () => {
  const task = await aTask("implement review git_push");
  await drive(task);
  commitAll(task, "half of it");
  write(task.worktree, "rest.js", "1;\n");
  await approve(task);
  await drive(task);
  expect(askedIn(task)).toMatchObject({ step: "git_push", kind: "review" });
  await expect(approve(task)).rejects.toMatchObject({
    code: "ERR_NOT_ACCEPTED",
    message: expect.stringContaining("not committed: rest.js"),
  });
  await approve(task, "uncommitted");
  expect(await drive(task)).toMatchObject({ stopped: "completed" });
});

test("an approval does not bind what a step writes that comes after it", async () => {
  const task = await aTask("implement review polish git_commit");
  await drive(task);
  await approve(task);
  expect(await drive(task)).toMatchObject({ stopped: "completed" });
  expect(filesAt(task, "HEAD")).toBe("implement.js parser.js polish.js");
});

test("what was approved without a validation is committed, not what was validated before", async () => {
  const task = await aTask("implement validate review git_commit");
  await drive(task);
  write(task.worktree, "later.js", "1;\n");
  await approve(task, "unvalidated");
  expect(await drive(task)).toMatchObject({ stopped: "completed" });
  expect(filesAt(task, "HEAD")).toBe("implement.js later.js parser.js");
  expect(git(task.worktree, "status", "--porcelain")).toBe("");
});

test("what a validation passes on is not committed unless it is what was approved", async () => {
  const task = await aTask("implement review validate git_commit");
  await drive(task);
  await approve(task);
  write(task.worktree, "evil.js", "evil\n");
  await drive(task);
  expect(askedIn(task)).toMatchObject({ step: "git_commit", kind: "review" });
  expect(task.hook().receipts).toHaveLength(1);
});

test("what was approved is validated before it is committed, where the validation was of something else", async () => {
  const task = await aTask("implement review validate git_commit");
  await drive(task);
  await approve(task);
  write(task.worktree, "evil.js", "evil\n");
  const meanwhile = (): void => rmSync(join(task.worktree, "evil.js"), { force: true });
  expect(await drive(task, {}, meanwhile)).toMatchObject({ stopped: "completed" });
  expect(filesAt(task, "HEAD")).toBe("implement.js parser.js");
  expect(task.hook().receipts.map(({ stepName }) => stepName)).toEqual(["validate", "git_commit"]);
});
