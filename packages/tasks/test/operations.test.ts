import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { ScriptedTurn } from "@quasar/agents";
import { identityOf } from "@quasar/process";
import { createHookFileStore, type HookInput } from "@quasar/hookfile";
import { installGitHook } from "@quasar/hookfile/git-hook";
import { relationOfHookMd } from "@quasar/hookfile/hook-md";
import { lockTask } from "@quasar/hookfile/recovery";
import type { ValidationReceipt } from "@quasar/receipts";
import { afterAll, expect, test } from "vitest";
import { openTask, readTask } from "../src/index.ts";
import {
  abandonTask,
  approveTask,
  checkpointTask,
  completeStep,
  configureTask,
  rejectTask,
  retryTask,
  reviewOf,
  skipTask,
  validateTask,
} from "../src/operations/index.ts";
import { validateNow } from "../src/validation/validate-now.ts";
import { aTestFolder, git, settleGit } from "./git-task.ts";
import { aRealTask, type RealTask, type RealTaskOptions, TURNS } from "./real-task.ts";

const folder = aTestFolder();
settleGit(folder.dir);
afterAll(folder.remove);

let count = 0;

function aTask(options?: RealTaskOptions): Promise<RealTask> {
  return aRealTask(`${folder.dir}/${(count += 1)}`, options);
}

const SKIP: HookInput = { type: "skip_step", reason: "not needed" };
const REVIEW: HookInput = { type: "human_required", kind: "review", reason: "look at it" };

/** A task that is set up, with this having happened to it since; no engine has driven it. */
async function standing(...inputs: readonly HookInput[]): Promise<RealTask> {
  const task = await aTask();
  await task.drive({ signal: AbortSignal.abort() });
  git(join(task.dir, "repo"), "worktree", "add", "-q", "-b", "fix/here", task.worktree);
  task.happen({ type: "setup_complete" }, ...inputs);
  return task;
}

const view = ({ prepared, ports }: RealTask) => openTask(prepared.taskDir, ports);
const refused = (code: string, words = ""): unknown =>
  expect.objectContaining({ code, message: expect.stringContaining(words) });

test("what is rejected is done otherwise; an approval counts for the diff that was shown, and once", async () => {
  const otherwise: ScriptedTurn = {
    role: "coder",
    match: "not like that",
    text: "Otherwise now.",
    files: { "parser.js": "export const parse = String;\n" },
  };
  const task = await aTask({ turns: [otherwise, ...TURNS] });
  const { taskDir } = task.prepared;
  expect(await task.drive()).toMatchObject({ stopped: "awaiting" });
  const first = await reviewOf(await view(task), task.ports);
  expect(first.diff.stat).toContain("parser.js");
  expect(first.diff.text).toContain("+export const parse = (text) => text ?? {};");
  expect([...(await view(task)).verdicts.values()].map(({ kind }) => kind)).toEqual(["valid"]);

  await rejectTask(taskDir, { feedback: "not like that" }, task.ports);
  expect(task.hook().state).toBe("step_pending");
  expect(await task.drive()).toMatchObject({ stopped: "awaiting" });
  expect(task.prompts.filter((prompt) => prompt.includes("not like that"))).not.toEqual([]);
  expect(task.prompts.filter((prompt) => prompt.includes("Find the cause"))).toHaveLength(1);
  expect(task.gh.state().pullRequests).toHaveLength(1);

  await expect(approveTask(taskDir, first, task.ports)).rejects.toEqual(refused("ERR_CHANGED"));
  const shown = await reviewOf(await view(task), task.ports);
  writeFileSync(join(task.worktree, "untracked.js"), "evil\n");
  await expect(approveTask(taskDir, shown, task.ports)).rejects.toEqual(refused("ERR_CHANGED"));
  expect(task.hook().state).toBe("awaiting_human");
  const again = await reviewOf(await view(task), task.ports);
  expect(again.diff.text).toContain("untracked.js");

  const some = approveTask(taskDir, again, task.ports, ["uncommitted"]);
  await expect(some).rejects.toEqual(refused("ERR_NOT_ACCEPTED", "untracked.js"));
  const all = ["unvalidated", "uncommitted"] as const;
  const approved = await approveTask(taskDir, again, task.ports, all);
  expect(approved).toMatchObject({ state: "completed" });
  expect(task.hook().history.at(-1)).toMatchObject({
    trigger: "human_approve",
    details: { tree: again.tree, diff_sha256: again.sha256, accepted: all.join(" ") },
  });
  expect(readTask(taskDir).status).toBe("completed");
  const twice = approveTask(taskDir, again, task.ports, all);
  await expect(twice).rejects.toEqual(refused("ERR_NOT_AWAITED"));
});

test("what is shown is what an approval is of, whoever changes it meanwhile", async () => {
  const task = await standing({ type: "start_step" }, REVIEW);
  const viewed = await view(task);
  writeFileSync(join(task.worktree, "large"), "x".repeat(1_000_000));
  const looking = reviewOf(viewed, task.ports);
  const snapshots = join(task.dir, "repo/.git/refs/quasar", viewed.task.id);
  while (!existsSync(snapshots)) await sleep(1);
  writeFileSync(join(task.worktree, "evil.js"), "evil\n");
  await expect(looking).rejects.toEqual(refused("ERR_CHANGED", "during the review"));
});

test("what changes between the last look and the approval's record is not approved", async () => {
  const task = await standing({ type: "start_step" }, REVIEW);
  const shown = await reviewOf(await view(task), task.ports);
  const meanwhile = {
    ...task.ports,
    // The files of the task are opened for the change.
    get version() {
      writeFileSync(join(task.worktree, "evil.js"), "evil\n");
      return task.ports.version;
    },
  };
  const approving = approveTask(task.prepared.taskDir, shown, meanwhile);
  await expect(approving).rejects.toEqual(refused("ERR_CHANGED", "since it was shown"));
  expect(task.hook().state).toBe("awaiting_human");
});

test("a specification is shown for its review, and an approval counts for that one only", async () => {
  const spec = (text: string, match: string): ScriptedTurn => ({ role: "coder", match, text });
  const turns = [spec("It says why.", "say why"), spec("Long. ".repeat(2_000), "pecif")];
  const task = await aTask({ template: "feature", turns });
  const { taskDir } = task.prepared;
  await task.drive();
  const first = await reviewOf(await view(task), task.ports);
  expect(first.answer?.step).toBe("specify");
  expect(first.answer?.text.trim()).toBe("Long. ".repeat(2_000).trim());
  await rejectTask(taskDir, { feedback: "say why" }, task.ports);
  await task.drive();
  const second = await reviewOf(await view(task), task.ports);
  expect(second.answer?.text).toBe("It says why.");
  expect(second.tree).toBe(first.tree);
  expect(second.content).not.toBe(first.content);
  await expect(approveTask(taskDir, first, task.ports)).rejects.toEqual(refused("ERR_CHANGED"));
  const approved = await approveTask(taskDir, second, task.ports);
  expect(approved.history.at(-1)?.details).toMatchObject({ answer_sha256: second.answer?.sha256 });
});

test("what is rejected for good has failed, and the task says so everywhere", async () => {
  const task = await standing({ type: "start_step" }, REVIEW);
  await rejectTask(task.prepared.taskDir, { feedback: "never", isFinal: true }, task.ports);
  expect(task.hook().state).toBe("failed");
  expect(readTask(task.prepared.taskDir).status).toBe("rejected");
  expect((await task.drive()).stopped).toBe("failed");
});

test("a person has a step tried again, or leaves it out with a reason", async () => {
  const awaiting: HookInput = { type: "human_required", kind: "git", reason: "run gh" };
  const task = await standing({ type: "start_step" }, awaiting);
  const { taskDir } = task.prepared;
  await expect(rejectTask(taskDir, { feedback: "no" }, task.ports)).rejects.toEqual(
    refused("ERR_NOT_AWAITED", "it waits for a person"),
  );
  expect(await retryTask(taskDir, task.ports)).toMatchObject({ state: "step_pending" });
  task.happen({ type: "start_step" }, awaiting);
  const { steps } = await skipTask(taskDir, "done by hand", task.ports);
  expect(steps[0]).toMatchObject({ name: "analyze", status: "skipped", note: "done by hand" });
  expect(readTask(taskDir).steps[0]?.status).toBe("skipped");
});

test("nothing is decided in the place of whoever drives the task", async () => {
  const task = await standing({ type: "start_step" });
  const { taskDir } = task.prepared;
  const lock = lockTask(taskDir);
  for (const act of [
    () => retryTask(taskDir, task.ports),
    () => skipTask(taskDir, "why", task.ports),
    () => abandonTask(taskDir, undefined, task.ports),
    () => completeStep(taskDir, "done", task.ports),
    () => configureTask(taskDir, (config) => ({ ...config, maxBudgetUsd: 9 })),
  ]) {
    await expect(act()).rejects.toEqual(refused("ERR_LOCKED", String(process.pid)));
  }
  const before = readFileSync(join(taskDir, "hook.json"));
  expect((await view(task)).found).toBe("running");
  expect(readFileSync(join(taskDir, "hook.json"))).toEqual(before);
  expect(readTask(taskDir).config.maxBudgetUsd).toBe(1);
  lock.release();
  await configureTask(taskDir, (config) => ({ ...config, maxBudgetUsd: 9 }));
  expect(readTask(taskDir).config.maxBudgetUsd).toBe(9);
});

// SPEC.md, statements 198.
test("abandon moves the hook file to abandoned, and leaves branch and files", async () => {
  const task = await standing({ type: "start_step" });
  writeFileSync(join(task.worktree, "half.js"), "half\n");
  const { state } = await abandonTask(task.prepared.taskDir, "not needed", task.ports);
  expect(state).toBe("abandoned");
  expect(readTask(task.prepared.taskDir).status).toBe("abandoned");
  expect(existsSync(join(task.worktree, "half.js"))).toBe(true);
  await expect(abandonTask(task.prepared.taskDir, undefined, task.ports)).rejects.toEqual(
    refused("ERR_NOT_AWAITED", "abandoned"),
  );
});

test("a task whose work tree is gone can be read and given up; the git hook comes off", async () => {
  const task = await standing({ type: "start_step" }, { type: "step_complete" });
  const { taskDir } = task.prepared;
  task.happen(SKIP, SKIP);
  await installGitHook(task.worktree, { taskDir, command: task.ports.atlas });
  task.happen({ type: "start_step" });
  const owner = { ...identityOf(process.pid), bootId: "before-a-reboot", runId: "r" };
  createHookFileStore({ dir: taskDir }).update((hook) => ({
    hook: { ...hook, owner },
    events: [],
  }));
  rmSync(task.worktree, { recursive: true });

  const { hook } = await view(task);
  expect(hook.recovery).toMatchObject({ recommendedAction: "manual" });
  expect(hook.recovery?.reason).toContain("is not a folder");
  expect(await abandonTask(taskDir, "lost", task.ports)).toMatchObject({ state: "abandoned" });
  expect(existsSync(join(task.dir, "repo/.git/hooks/post-commit"))).toBe(false);
});

test("an agent that works by HOOK.md alone ends its step itself", async () => {
  const task = await standing({ type: "start_step" });
  const hook = await completeStep(task.prepared.taskDir, "found the cause", task.ports);
  expect(hook.state).toBe("step_pending");
  expect(hook.steps[0]).toMatchObject({ name: "analyze", status: "completed" });
  expect(hook.checkpoints.at(-1)).toMatchObject({
    trigger: "step_complete",
    description: "found the cause",
    stepName: "analyze",
  });
  await expect(completeStep(task.prepared.taskDir, "again", task.ports)).rejects.toEqual(
    refused("ERR_NOT_AWAITED", "it is step_pending"),
  );
});

test("validating records its own receipts, and not those of whoever drives the task", async () => {
  const task = await standing({ type: "start_step" }, { type: "step_complete" });
  task.happen(SKIP, { type: "start_step" }, { type: "step_output" });
  const { taskDir, task: record } = task.prepared;
  const common = { tell: () => {}, signal: new AbortController().signal, ports: task.ports };
  const where = { taskDir, task: record, worktree: task.worktree };
  const driver = await validateNow({ ...where, ...common, stepName: "validate", attempt: 1 });
  const own = await validateTask(taskDir, { task: record, hook: task.hook(), ...common });
  const ids = (receipts: readonly ValidationReceipt[]) => receipts.map((each) => each.receiptId);
  expect(ids(own.receipts)).toHaveLength(1);
  expect(ids(task.hook().receipts)).toEqual(ids(own.receipts));
  task.happen({ type: "validate_pass", receipts: driver.receipts });
  expect(ids(task.hook().receipts)).toEqual([...ids(own.receipts), ...ids(driver.receipts)]);
});

test("a validation that fails says which command did, and why", async () => {
  const task = await standing({ type: "start_step" }, { type: "step_complete" });
  const { taskDir, task: record } = task.prepared;
  const commands = [
    { name: "lint", command: "true" },
    { name: "test", command: "echo no such value; exit 3" },
  ];
  const { config } = record;
  const failing = { ...config, validation: { ...config.validation, commands } };
  const validated = await validateTask(taskDir, {
    task: { ...record, config: failing },
    hook: task.hook(),
    ports: task.ports,
    tell: () => {},
    signal: new AbortController().signal,
  });
  expect(validated).toMatchObject({
    kind: "failed",
    failed: { command: commands[1] },
    reason: expect.stringMatching(/^test failed: .*3[^]*no such value/u),
  });
});

// SPEC.md, statements 187.
test("a checkpoint marks what was reached in the current step, and what is worked on", async () => {
  const task = await standing({ type: "start_step" });
  const { taskDir } = task.prepared;
  await checkpointTask(taskDir, { description: "half of it", ports: task.ports });
  const { checkpoints, currentStep } = task.hook();
  expect(checkpoints).toMatchObject([
    { trigger: "manual", description: "half of it", stepName: "analyze" },
  ]);
  expect(currentStep?.workingOn).toBe("half of it");
  expect(currentStep?.currentCheckpointId).toBe(checkpoints[0]?.checkpointId);
  task.happen({ type: "abandon" });
  await expect(checkpointTask(taskDir, { description: "more", ports: task.ports })).rejects.toEqual(
    refused("ERR_NOT_AWAITED", "abandoned"),
  );
});

test("whoever looks at a task finds its record in line with the hook file", async () => {
  const task = await standing({ type: "start_step" }, REVIEW);
  const { taskDir } = task.prepared;
  expect(readTask(taskDir).status).not.toBe("awaiting_approval");
  const seen = await view(task);
  expect(seen).toMatchObject({ found: "waiting", owner: undefined });
  expect(seen.task.status).toBe("awaiting_approval");
  expect(readTask(taskDir)).toEqual(seen.task);
  const bytes = readFileSync(join(taskDir, "task.json"));
  await view(task);
  expect(readFileSync(join(taskDir, "task.json"))).toEqual(bytes);
});

test("a drive that finds a person awaited leaves a HOOK.md that says so", async () => {
  const task = await standing({ type: "start_step" }, REVIEW);
  const path = join(task.prepared.taskDir, "HOOK.md");
  const right = readFileSync(path, "utf8");
  for (const stale of ["", right.replace(/rev=\d+/u, "rev=1")]) {
    writeFileSync(path, stale);
    expect(await task.drive()).toMatchObject({ stopped: "awaiting" });
    expect(relationOfHookMd(readFileSync(path, "utf8"), task.hook())).toBe("current");
  }
});
