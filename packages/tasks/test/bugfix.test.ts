import { spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { acquireLock } from "@quasar/durable";
import { afterAll, expect, onTestFinished, test } from "vitest";
import { PROGRAM_PARTS } from "../src/engine/drive-task.ts";
import type { RunningStep } from "../src/steps/step.ts";
import { aTestFolder, git, settleGit, write } from "./git-task.ts";
import { aRealTask, type RealTask } from "./real-task.ts";

const folder = aTestFolder();
settleGit(folder.dir);
afterAll(folder.remove);

const subjects = ({ worktree, prepared }: RealTask): readonly string[] =>
  git(worktree, "log", "--format=%s", `${prepared.task.metadata.baseSha}..HEAD`).split("\n");
const hookScript = ({ dir }: RealTask): string => join(dir, "repo/.git/hooks/post-commit");

// SPEC.md, statements 200, 237.
test("a bugfix: analysed, fixed, validated, pushed, with a pull request, approved; each agent is told the synopsis first, once", async () => {
  const task = await aRealTask(join(folder.dir, "whole"), {
    config: { notify: 'echo "$ATLAS_TASK_ID $ATLAS_EVENT" >> "$HOME/told.txt"' },
  });
  const first = await task.drive();
  expect(first).toMatchObject({ stopped: "awaiting", hook: { awaiting: { kind: "review" } } });
  expect(existsSync(hookScript(task))).toBe(true);

  const { id, workspaceId } = task.prepared.task;
  // What came of it: one commit with the change, at the remote, in one pull request, with one receipt.
  expect(subjects(task)).toEqual(["fix: fix null pointer in config"]);
  const head = git(task.worktree, "rev-parse", "HEAD");
  const { branch } = task.prepared.task.metadata;
  expect(git(task.bare, "rev-parse", branch)).toBe(head);
  expect(git(task.worktree, "show", "HEAD:parser.js")).toContain("?? {}");
  expect(git(task.worktree, "status", "--porcelain")).toBe("");
  expect(task.gh.state().pullRequests).toMatchObject([{ headRefName: branch, headRefOid: head }]);
  expect(first.hook.receipts).toMatchObject([{ exitCode: 0, stepName: "validate" }]);
  const signed = task.ports.keys.head({ workspaceId, taskId: id });
  expect(task.gh.state().pullRequests[0]?.body).toContain(
    `\nQuasar-Receipts: 1 ${signed?.sha256}\n`,
  );

  const triggers = first.hook.checkpoints.map(({ trigger }) => trigger);
  expect(triggers).toEqual([
    "step_complete",
    "git_commit",
    "step_complete",
    "validation",
    "step_complete",
    "git_push",
    "step_complete",
    "pr_created",
    "step_complete",
  ]);
  expect(first.hook.checkpoints[1]).toMatchObject({ stepName: "implement", gitCommit: head });

  const asked = ["analyze (1/7)", "implement (2/7)", "implement (2/7)"];
  expect(task.prompts).toHaveLength(asked.length);
  for (const [index, prompt] of task.prompts.entries()) {
    const line = `[ATLAS RECOVERY] Task '${id}' in progress. State: step_running, Step: ${asked[index]}.`;
    expect(prompt.startsWith(line)).toBe(true);
    expect(prompt.split("[ATLAS RECOVERY]")).toHaveLength(2);
  }
  expect(task.prompts[1]).toContain("The parser forgets the null.");

  // As a crash leaves it that comes right after the hook file says that a person is awaited.
  const hookMd = join(task.prepared.taskDir, "HOOK.md");
  const said = readFileSync(hookMd, "utf8");
  writeFileSync(hookMd, "torn");
  expect(await task.drive()).toMatchObject({ stopped: "awaiting" });
  expect(readFileSync(hookMd, "utf8")).toBe(said);

  task.happen({ type: "human_approve" });
  const second = await task.drive();
  expect(second).toMatchObject({ stopped: "completed", task: { status: "completed" } });
  expect(existsSync(hookScript(task))).toBe(false);
  const told = readFileSync(join(task.dir, "told.txt"), "utf8");
  expect(told).toBe(`${id} awaiting_human\n${id} completed\n`);
});

test.runIf(process.platform === "linux")(
  "what a killed git has left locked is quarantined, and the task continues",
  async () => {
    const task = await aRealTask(join(folder.dir, "left-locked"));
    const { branch } = task.prepared.task.metadata;
    const ref = join(task.dir, "repo/.git/refs/heads", `${branch}.lock`);
    write(dirname(ref), basename(ref), "");
    const { loop } = PROGRAM_PARTS.executors;
    const lockIndex = async (input: RunningStep) => {
      const index = join(git(task.worktree, "rev-parse", "--absolute-git-dir"), "index.lock");
      writeFileSync(index, "");
      return loop.run(input);
    };
    const executors = { ...PROGRAM_PARTS.executors, loop: { run: lockIndex } };
    const first = await task.drive({}, { executors });
    expect(first.hook).toMatchObject({ awaiting: { kind: "git" } });
    task.happen({ type: "retry_step" });
    expect(await task.drive()).toMatchObject({ hook: { awaiting: { kind: "review" } } });
    const warnings = task.events.flatMap((event) => (event.type === "warning" ? [event] : []));
    expect(warnings.map(({ message }) => message)).toEqual([
      expect.stringContaining(`${branch}.lock was left by a dead git process`),
      expect.stringContaining("index.lock was left by a dead git process"),
    ]);
    expect(subjects(task)).toHaveLength(1);
  },
);

test("without a remote, what needs one is skipped, and the evidence says why", async () => {
  const task = await aRealTask(join(folder.dir, "local"));
  git(task.dir, "-C", "repo", "remote", "remove", "origin");
  const done = { run: async () => ({ kind: "completed", summary: "done" }) as const };
  const { hook } = await task.drive(
    {},
    { executors: { ...PROGRAM_PARTS.executors, ai: done, loop: done } },
  );
  expect(hook.steps.map(({ status }) => status)).toEqual([
    "completed",
    "completed",
    "completed",
    "skipped",
    "skipped",
    "skipped",
    "running",
  ]);
});

test("where another of our runners works in the work tree, a task is not driven there", async () => {
  const task = await aRealTask(join(folder.dir, "locked"));
  await task.drive({}, { executors: { ...PROGRAM_PARTS.executors, ai: { run: stop } } });
  const gitDir = git(task.worktree, "rev-parse", "--absolute-git-dir");
  const lock = acquireLock(join(gitDir, "quasar/lock"));
  await expect(task.drive()).rejects.toMatchObject({
    code: "ERR_LOCKED",
    message: expect.stringContaining(task.worktree) as string,
  });
  lock.release();
  expect(task.hook().state).toBe("step_running");
  if (process.platform !== "linux") return;

  const env = { ...process.env, QUASAR_RUN_ID: "run-x" };
  const left = spawn("sleep", ["60"], { cwd: task.worktree, env, stdio: "ignore" });
  onTestFinished(() => void left.kill());
  await expect(task.drive()).rejects.toMatchObject({
    code: "ERR_LOCKED",
    message: expect.stringContaining(`${left.pid} (run run-x)`) as string,
  });
  expect(task.hook().state).toBe("step_running");
});

test.runIf(process.platform === "linux")(
  "a lock that a killed git has left in the work tree does not stop a task, and stays beside",
  async () => {
    const task = await aRealTask(join(folder.dir, "left"), { template: "task" });
    await task.drive({}, { executors: { ...PROGRAM_PARTS.executors, loop: { run: stop } } });
    const gitDir = git(task.worktree, "rev-parse", "--absolute-git-dir");
    write(gitDir, "index.lock", "");
    await task.drive({}, { executors: { ...PROGRAM_PARTS.executors, loop: { run: stop } } });
    expect(readdirSync(gitDir).filter((name) => name.includes("index.lock"))).toEqual([
      expect.stringMatching(/^index\.lock\.left-/u),
    ]);
    expect(task.events).toContainEqual({
      type: "warning",
      message: `${gitDir}/index.lock was left by a dead git process: quarantined`,
    });
  },
);

test("where the work tree is gone, it is said which", async () => {
  const task = await aRealTask(join(folder.dir, "gone"), { template: "task" });
  await task.drive({}, { executors: { ...PROGRAM_PARTS.executors, loop: { run: stop } } });
  git(task.dir, "-C", "repo", "worktree", "remove", task.worktree);
  await expect(task.drive()).rejects.toMatchObject({
    code: "ERR_NOT_FOUND",
    message: expect.stringContaining(task.worktree) as string,
  });
});

// SPEC.md, statements 89, 90, 217.
test("pushes and commits that an agent makes itself have checkpoints, and the files that it touched are its own", async () => {
  const task = await aRealTask(join(folder.dir, "own"), { template: "task" });
  await task.drive(
    {},
    {
      executors: {
        ...PROGRAM_PARTS.executors,
        loop: {
          async run({ worktree }) {
            write(worktree, "mine.js", "1;\n");
            git(worktree, "add", "mine.js");
            git(worktree, "commit", "-qm", "Half of it");
            git(worktree, "push", "-q", "origin", "HEAD");
            write(worktree, "open.js", "2;\n");
            return { kind: "completed", summary: "done" };
          },
        },
      },
    },
  );
  const { checkpoints } = task.hook();
  const ofLoop = checkpoints.filter(({ stepName }) => stepName === "implement");
  expect(ofLoop.map(({ trigger }) => trigger)).toEqual(["git_commit", "git_push", "step_complete"]);
  expect(ofLoop[0]?.description).toBe("Commit: Half of it");
  expect(ofLoop.at(-1)?.filesSnapshot?.map(({ path }) => path)).toEqual(["mine.js", "open.js"]);
  // The step that commits the rest is another's.
  expect(subjects(task)).toHaveLength(2);
});

async function stop(): Promise<{ kind: "stopped"; why: "interrupted"; message: string }> {
  return { kind: "stopped", why: "interrupted", message: "enough" };
}
