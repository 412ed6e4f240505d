import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { acquireLock } from "@quasar/durable";
import { currentProcess, type ProcessIdentity, identityOf } from "@quasar/process";
import { expect, onTestFinished, test, vi } from "vitest";
import { aFolder, type ATask, aTaskAt, filesBelow, type WAY_TO } from "../../test/stored-task.ts";
import { after, MINUTE, SECOND } from "../../test/interrupted.ts";
import { detectAndRecover, type DetectOptions, recoveryInput } from "./recovery.ts";
import { saveCheckpoint } from "../checkpoints/save-checkpoint.ts";
import { isSetUp } from "../transitions/steps.ts";
import { createHookFileStore } from "../store/store.ts";
import { TASK_FILES } from "../store/files.ts";
import { claimTask, lockTask } from "./task-owner.ts";
import { transition } from "../transitions/transitions.ts";

const never = (): never => expect.unreachable();

const ELSEWHERE = { host: "elsewhere", bootId: undefined, startTime: undefined };
const GONE: ProcessIdentity = { ...currentProcess(), startTime: 1 };

function detect(task: ATask, options: DetectOptions = {}) {
  return detectAndRecover(task.dir, { now: task.now, ...options });
}

function ownedBy(place: keyof typeof WAY_TO, owner: ProcessIdentity): ATask {
  const task = aTaskAt(place);
  const named = { ...owner, runId: "run-1" };
  task.store.update((hook) => ({ hook: { ...hook, owner: named }, events: [] }));
  return task;
}

// SPEC.md, statements 173.
test("where there is no hook file, there is nothing to recover, and no error", async () => {
  const dir = aFolder();
  expect(await detectAndRecover(join(dir, "none"))).toEqual({ kind: "absent" });
  expect(filesBelow(dir)).toEqual({});
  expect(await detectAndRecover(dir)).toEqual({ kind: "absent" });
});

// SPEC.md, statements 174.
test.for(["completed", "failed", "abandoned"] as const)(
  "a task that is %s is not recovered, however old and whoever owned it",
  async (place) => {
    const task = ownedBy(place, GONE);
    const before = filesBelow(task.dir);
    task.pass(60 * MINUTE);
    expect(await detect(task)).toMatchObject({ kind: "ended", hook: { state: place } });
    expect(filesBelow(task.dir)).toEqual(before);
  },
);

// SPEC.md, statements 175.
test("a task without an owner, changed less than 5 minutes ago, counts as running, unchanged", async () => {
  const task = aTaskAt("implement");
  const before = filesBelow(task.dir);
  task.pass(5 * MINUTE - 1);
  expect(await detect(task)).toMatchObject({ kind: "running", hook: { state: "step_running" } });
  expect(filesBelow(task.dir)).toEqual(before);
});

// SPEC.md, statements 176-178, 180, 208.
test("a stale task with a commit's checkpoint is recovering, to be retried from it", async () => {
  const task = aTaskAt("implement");
  const git = { branch: "fix/null", dirty: false };
  const facts = { trigger: "git_commit", description: "Initial commit", git } as const;
  const { currentStep } = saveCheckpoint(task.store, { ...facts, now: task.now() });
  task.pass(10 * MINUTE);

  const found = await detect(task);
  expect(found).toMatchObject({
    kind: "crashed",
    hook: {
      state: "recovering",
      recovery: {
        detectedAt: after(10 * MINUTE).toISOString(),
        crashType: "unknown",
        lastKnownState: "step_running",
        wasValidating: false,
        recommendedAction: "retry_step",
        reason: `implement may be repeated, last seen at ${currentStep?.currentCheckpointId} (git_commit)`,
        lastCheckpointId: currentStep?.currentCheckpointId,
      },
    },
  });
  expect(createHookFileStore({ dir: task.dir }).read()).toEqual("hook" in found && found.hook);
});

// SPEC.md, statements 179.
test("HOOK.md is written again when a crash is found", async () => {
  const task = ownedBy("implement", GONE);
  const hookMd = join(task.dir, "HOOK.md");
  const before = readFileSync(hookMd, "utf8");
  await detect(task);
  const now = readFileSync(hookMd, "utf8");
  expect(now).not.toBe(before);
  expect(now).toContain("recovering");
});

// SPEC.md, statements 177, 181-183, 185.
test.for([
  ["initializing", "retry_step", false],
  ["implement", "retry_step", false],
  ["validating", "retry_validation", true],
  ["git_push", "manual", false],
] as const)("a crash in %s is recovered by %s", async (row) => {
  const [place, recommendedAction, wasValidating] = row;
  const task = ownedBy(place, GONE);
  const recovery = { recommendedAction, wasValidating };
  expect(await detect(task)).toMatchObject({ kind: "crashed", hook: { recovery } });
});

// SPEC.md, statements 184.
test.for(["pending", "waiting"] as const)(
  "a task that is %s has not crashed, however old and whoever owned it",
  async (place) => {
    const task = ownedBy(place, GONE);
    const before = filesBelow(task.dir);
    task.pass(60 * MINUTE);
    expect(await detect(task)).toMatchObject({ kind: "waiting" });
    expect(filesBelow(task.dir)).toEqual(before);
  },
);

test("the crash is on record with what is known of it, and the owner is no owner any more", async () => {
  const task = ownedBy("validating", GONE);
  const exit = { exitCode: 137, signal: "SIGKILL" };
  const partialOutput = "1 of 2 tests";
  const inspect = async () => ({ exit, validationCmd: "npm test", partialOutput });
  const found = await detect(task, { inspect });
  expect(found).toMatchObject({
    hook: {
      recovery: {
        crashType: "signal",
        validationCmd: "npm test",
        partialOutput: "1 of 2 tests",
        lastKnownState: "step_validating",
      },
      history: expect.arrayContaining([
        expect.objectContaining({
          trigger: "crash_detected",
          fromState: "step_validating",
          toState: "recovering",
          details: expect.objectContaining({
            ...{ exit_code: 137, signal: "SIGKILL", reboot: false },
            ...{ run_id: "run-1", pid: process.pid, crash_type: "signal" },
          }),
        }),
      ]),
    },
  });
  expect(found).not.toHaveProperty("hook.owner");
});

test.for([
  ["its owner is gone", "signal", GONE, {}],
  ["what it ran was killed", "signal", { ...GONE, ...ELSEWHERE }, { signal: "SIGTERM" }],
  ["its time was over, and it was killed", "timeout", GONE, { signal: "SIGTERM", timedOut: true }],
  ["nothing is known of its owner", "unknown", { ...GONE, ...ELSEWHERE }, { exitCode: 1 }],
] as const)("a crash of which %s is of type %s", async ([, crashType, owner, exit]) => {
  const task = ownedBy("implement", owner);
  task.pass(5 * MINUTE);
  const found = await detect(task, { inspect: async () => ({ exit }) });
  expect(found).toMatchObject({ kind: "crashed", hook: { recovery: { crashType } } });
});

test.for([
  ["found: it is skipped", { kind: "found", evidence: "origin is at HEAD" }, "skip_step"],
  ["missing: it is done again", { kind: "missing" }, "retry_step"],
  ["unknown: a person decides", { kind: "unknown", reason: "no answer" }, "manual"],
] as const)("the effect of an interrupted push is %s", async ([, effect, recommendedAction]) => {
  const task = ownedBy("git_push", GONE);
  const found = await detect(task, { inspect: async () => ({ effect }) });
  expect(found).toMatchObject({ kind: "crashed", hook: { recovery: { recommendedAction } } });
  if (found.kind !== "crashed" || found.hook.recovery === undefined) return expect.unreachable();

  const { type } = recoveryInput(found.hook.recovery);
  const { state, steps } = task.happen(recoveryInput(found.hook.recovery));
  expect(state).toBe(type === "manual_required" ? "awaiting_human" : "step_pending");
  expect(steps.find(({ name }) => name === "git_push")).toMatchObject(
    type === "skip_step"
      ? { status: "skipped", note: expect.stringContaining("origin is at HEAD") }
      : { status: type === "retry_step" ? "pending" : "running" },
  );
});

test("output that is too long for the hook file is kept by its end, and hinders no recovery", async () => {
  const task = aTaskAt("validating");
  task.pass(5 * MINUTE);
  const partialOutput = `${"ok 🙂\n".repeat(100_000)}not ok`;
  const found = await detect(task, { inspect: async () => ({ partialOutput }) });
  expect(found).toMatchObject({ kind: "crashed" });
  const kept = task.store.read()?.recovery?.partialOutput ?? "";
  expect(partialOutput.endsWith(kept)).toBe(true);
  expect(Array.from(kept)).toHaveLength(2000);
});

test("that the set-up was interrupted stays on record until a step starts, whatever happens to the history", async () => {
  const task = aTaskAt("initializing");
  task.pass(5 * MINUTE);
  const found = await detect(task);
  const { recovery } = (found.kind === "crashed" && found.hook) || {};
  expect(recovery).toMatchObject({ lastKnownState: "initializing" });
  task.happen(...(recovery ? [recoveryInput(recovery)] : []));
  const history = join(task.dir, "history", "1.jsonl");
  writeFileSync(history, readFileSync(history, "utf8").replace(/[^\n]+\n$/, ""));
  const opened = task.store.open();
  expect(opened).toMatchObject({
    problems: [{ code: "damaged_history" }],
    hook: {
      state: "awaiting_human",
      recovery: { lastKnownState: "initializing", recommendedAction: "manual" },
    },
  });
  expect(opened?.hook && isSetUp(opened.hook)).toBe(false);
  expect(isSetUp(task.happen({ type: "retry_step" }))).toBe(false);
  expect(isSetUp(task.happen({ type: "skip_step", reason: "not wanted" }))).toBe(false);
  expect(isSetUp(task.happen({ type: "start_step" }))).toBe(true);
});

test("where the inspection fails nothing is changed", async () => {
  const task = ownedBy("git_push", GONE);
  const before = filesBelow(task.dir);
  const inspect = (): Promise<never> => Promise.reject(new Error("no git"));
  await expect(detect(task, { inspect })).rejects.toThrow("no git");
  expect(filesBelow(task.dir)).toEqual(before);
});

test("an aborted detection changes nothing", async () => {
  const task = ownedBy("implement", GONE);
  const before = filesBelow(task.dir);
  const controller = new AbortController();
  const inspect = async () => {
    controller.abort("stopped");
    return {};
  };
  await expect(detect(task, { inspect, signal: controller.signal })).rejects.toBe("stopped");
  expect(filesBelow(task.dir)).toEqual(before);
});

// SPEC.md, statements 15.
test("detecting twice is detecting once, to the byte", async () => {
  const task = ownedBy("implement", GONE);
  const first = await detect(task);
  const files = filesBelow(task.dir);
  task.pass(60 * MINUTE);
  const inspect = vi.fn<NonNullable<DetectOptions["inspect"]>>();
  expect(await detect(task, { inspect })).toEqual(first);
  expect(filesBelow(task.dir)).toEqual(files);
  expect(inspect).not.toHaveBeenCalled();
});

test("what changes while it is inspected is checked again", async () => {
  const task = ownedBy("implement", GONE);
  const inspect = async () => {
    task.happen({ type: "step_complete" });
    return {};
  };
  const found = await detect(task, { inspect });
  expect(found).toMatchObject({ kind: "waiting", hook: { state: "step_pending" } });
});

test("of two that detect at once both see the one crash", async () => {
  const task = ownedBy("implement", GONE);
  const [one, other] = await Promise.all([detect(task), detect(task)]);
  expect(one).toEqual(other);
  const crashes = task.store.read()?.history.filter(({ trigger }) => trigger === "crash_detected");
  expect(crashes).toHaveLength(1);
});

test("a task whose owner lives is running, however old and silent", async () => {
  const task = ownedBy("implement", currentProcess());
  const before = filesBelow(task.dir);
  task.pass(60 * MINUTE);
  const owner = { pid: process.pid, runId: "run-1" };
  expect(await detect(task)).toMatchObject({ kind: "running", owner });
  expect(filesBelow(task.dir)).toEqual(before);
});

test("a task whose run.lock another process holds is running, even with no owner recorded", async () => {
  const task = aTaskAt("implement");
  const lock = lockTask(task.dir);
  onTestFinished(() => lock.release());
  task.pass(60 * MINUTE);
  expect(await detect(task)).toMatchObject({ kind: "running" });
});

test.for([
  ["the machine was started again", { bootId: "another" }],
  ["its pid is another process's now", { startTime: 1 }],
  ["no process has its pid", { pid: 2 ** 22 + 1 }],
])("a task is crashed at once when %s", async ([, change]) => {
  const task = ownedBy("implement", {
    ...currentProcess(),
    ...(change as Partial<ProcessIdentity>),
  });
  task.pass(SECOND);
  expect(await detect(task)).toMatchObject({
    kind: "crashed",
    hook: { recovery: { crashType: "signal" } },
  });
});

test("a task whose owner is a zombie is crashed", async () => {
  // The shell becomes a program that never waits for the child that the shell has started.
  const parent = spawn("sh", ["-c", "sleep 0.05 & echo $!; exec sleep 600"]);
  onTestFinished(() => void parent.kill("SIGKILL"));
  const [line] = (await once(parent.stdout, "data")) as [Buffer];
  const task = ownedBy("implement", identityOf(Number(line.toString())));
  await expect.poll(() => detect(task)).toMatchObject({ kind: "crashed" });
});

test("a reboot is told from another end", async () => {
  const reboots = [];
  for (const bootId of ["another", currentProcess().bootId]) {
    const found = await detect(ownedBy("implement", { ...GONE, bootId }));
    reboots.push("hook" in found && found.hook?.history.at(-1)?.details?.["reboot"]);
  }
  expect(reboots).toEqual([true, false]);
});

test.for([
  ["changed 5 minutes ago", "crashed", undefined],
  ["heard of a minute ago", "running", 4 * MINUTE],
  ["heard of 5 minutes ago", "crashed", 0],
] as const)("of an owner on another machine, a task that was %s counts as %s", async (row) => {
  const [, kind, beat] = row;
  const task = ownedBy("implement", { ...currentProcess(), ...ELSEWHERE });
  if (beat !== undefined) {
    const text = JSON.stringify({ run_id: "run-1", beat_at: after(beat).toISOString() });
    writeFileSync(join(task.dir, TASK_FILES.heartbeat), text);
  }
  task.pass(5 * MINUTE);
  expect(await detect(task)).toMatchObject({ kind });
});

test("who holds run.lock is not kept off by an earlier run of its own process", async () => {
  const task = aTaskAt("implement");
  const claim = (runId: string) => {
    const { store, now } = task;
    const lock = lockTask(task.dir);
    return { lock, ...claimTask({ store, now, lock, runId, onError: never }) };
  };
  claim("run-1").release();
  expect(await detect(task)).toMatchObject({ kind: "running" });
  const lock = lockTask(task.dir);
  onTestFinished(() => lock.release());
  expect(await detect(task, { lock })).toMatchObject({ kind: "crashed" });
});

test("who holds run.lock does not take a task from another process that lives", async () => {
  const task = ownedBy("implement", identityOf(process.ppid));
  const lock = lockTask(task.dir);
  onTestFinished(() => lock.release());
  expect(await detect(task, { lock })).toMatchObject({ kind: "running" });
});

test("a damaged hook file is never taken for none: the generation before and the history say where the task is", async () => {
  const task = ownedBy("implement", GONE);
  writeFileSync(join(task.dir, "hook.json"), "{");
  const found = await detect(task);
  expect(found).toMatchObject({
    kind: "crashed",
    hook: { recovery: { lastKnownState: "step_running" } },
  });
  expect("problems" in found && found.problems.length).toBeGreaterThan(0);
});

test("a task of which nothing can be read is corrupt, and nothing of it is removed", async () => {
  const task = aTaskAt("implement");
  for (const name of Object.keys(filesBelow(task.dir))) writeFileSync(join(task.dir, name), "{");
  const names = Object.keys(filesBelow(task.dir));
  const error = { name: "HookFileError", code: "ERR_DAMAGED" };
  expect(await detect(task)).toMatchObject({ kind: "corrupt", error });
  expect(Object.keys(filesBelow(task.dir))).toEqual(names);
});

// SPEC.md, statements 2.
test("after a killed engine a task is recovered at once, within the seed's 30 seconds", async () => {
  const task = aTaskAt("implement");
  const engine = join(import.meta.dirname, "../../test/children/engine.ts");
  const child = spawn(process.execPath, [engine, task.dir], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  await once(child.stdout, "data");
  expect(await detect(task)).toMatchObject({ kind: "running", owner: { pid: child.pid } });
  expect(() => acquireLock(join(task.dir, "run.lock"))).toThrow(/is held by process/);
  child.kill("SIGKILL");
  await once(child, "exit");
  const lock = lockTask(task.dir);
  onTestFinished(() => lock.release());
  const hook = { recovery: { crashType: "signal", recommendedAction: "retry_step" } };
  expect(await detect(task, { lock })).toMatchObject({ kind: "crashed", hook });
});

test("retrying takes two events: to the step's start, and into it", async () => {
  const task = ownedBy("implement", GONE);
  const found = await detect(task);
  if (found.kind !== "crashed" || found.hook.recovery === undefined) return expect.unreachable();
  const inputs = [recoveryInput(found.hook.recovery), { type: "start_step" }] as const;
  const { hook, events } = transition(found.hook, inputs, { now: task.now() });
  expect(events.map(({ toState }) => toState)).toEqual(["step_pending", "step_running"]);
  expect(hook.currentStep).toMatchObject({ stepName: "implement", attempt: 2 });
});
