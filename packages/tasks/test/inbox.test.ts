import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { noteCommit, readInbox } from "@quasar/hookfile/git-hook";
import { afterAll, expect, test, vi } from "vitest";
import { PROGRAM_PARTS } from "../src/engine/drive-task.ts";
import { openTask } from "../src/open-task.ts";
import type { RunningStep } from "../src/steps/step.ts";
import { aTestFolder, git, settleGit, write } from "./git-task.ts";
import { aRealTask, type RealTask } from "./real-task.ts";

const folder = aTestFolder();
settleGit(folder.dir);
afterAll(folder.remove);

/** Commits without the git hook, which would leave the note itself. */
function commit({ worktree }: RealTask, subject: string): string {
  write(worktree, `${subject}.js`, "1;\n");
  git(worktree, "add", "-A");
  execFileSync("git", ["-c", "core.hooksPath=/dev/null", "commit", "-qm", subject], {
    cwd: worktree,
  });
  return git(worktree, "rev-parse", "HEAD");
}

/** As the git hook does, of the work tree's HEAD. */
async function leaveNote({ worktree, ports }: RealTask): Promise<void> {
  const noted = await noteCommit(worktree, { tasksRoot: ports.home, now: new Date() });
  expect(noted.kind).toBe("noted");
}

const commitsIn = (task: RealTask): readonly (string | undefined)[] =>
  task
    .hook()
    .checkpoints.filter(({ trigger }) => trigger === "git_commit")
    .map(({ gitCommit }) => gitCommit);
const hookMd = ({ prepared }: RealTask): string =>
  readFileSync(join(prepared.taskDir, "HOOK.md"), "utf8");

test("a note that comes while a step runs becomes a checkpoint without waiting for the next look", async () => {
  const task = await aRealTask(join(folder.dir, "watched"), { template: "task" });
  const loop = {
    async run(_input: RunningStep) {
      const sha = commit(task, "halfway");
      await leaveNote(task);
      await vi.waitFor(() => expect(commitsIn(task)).toEqual([sha]), { timeout: 60_000 });
      expect(hookMd(task)).toContain("Commit: halfway");
      return { kind: "stopped", why: "interrupted", message: "enough" } as const;
    },
  };
  const wait = (_ms: number, signal: AbortSignal): Promise<void> =>
    new Promise((resolve) => signal.addEventListener("abort", () => resolve()));
  await task.drive({}, { executors: { ...PROGRAM_PARTS.executors, loop }, wait });
  expect(commitsIn(task)).toHaveLength(1);
});

test("a note that comes while a person is awaited becomes a checkpoint when the task is opened, once", async () => {
  const task = await aRealTask(join(folder.dir, "opened"));
  await task.drive();
  expect(task.hook().awaiting?.kind).toBe("review");
  const before = commitsIn(task).length;
  const sha = commit(task, "later");
  await leaveNote(task);

  const { hook } = await openTask(task.prepared.taskDir, task.ports);
  expect(hook.checkpoints.at(-1)).toMatchObject({ trigger: "git_commit", gitCommit: sha });
  expect(hookMd(task)).toContain("Commit: later");
  expect(readInbox(task.prepared.taskDir).notes).toEqual([]);
  await leaveNote(task);
  await Promise.all([1, 2].map(() => openTask(task.prepared.taskDir, task.ports)));
  expect(commitsIn(task)).toHaveLength(before + 1);
});
