import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { acquireLock, DurableError } from "@quasar/durable";
import { createHookFileStore, type HookFile } from "@quasar/hookfile";
import { describe, expect, onTestFinished, test } from "vitest";
import type { RunningStep, StepOutcome } from "../src/steps/step.ts";
import { TasksError } from "../src/errors.ts";
import { readTaskLog } from "../src/task-log.ts";
import { aReceipt, aWorld, CONFIG, Killed, steps, type World } from "./engine-world.ts";

const triggers = ({ history }: HookFile): readonly string[] =>
  history.map(({ trigger }) => trigger).filter((trigger) => trigger !== "checkpoint");
const made = ({ checkpoints }: HookFile): readonly string[] =>
  checkpoints.map(({ trigger }) => trigger);
const told = (world: World): readonly string[] => world.events.map(({ type }) => type);

/** An outcome for each attempt, in order; the last again and again. */
function outcomes(...all: readonly StepOutcome[]): {
  readonly run: (input: RunningStep) => Promise<StepOutcome>;
} {
  let next = 0;
  return {
    async run() {
      const outcome = all[Math.min(next, all.length - 1)];
      next += 1;
      if (outcome === undefined) throw new Error("no outcome");
      return outcome;
    },
  };
}

const DONE: StepOutcome = { kind: "completed", summary: "done" };
const FAILED: StepOutcome = {
  kind: "failed",
  reason: "it did not work",
  awaiting: "attempts",
  retryable: true,
};

test("a bugfix goes from its start to the person who reviews it, and once approved to its end", async () => {
  const world = aWorld();
  const first = await world.drive();
  expect(first).toMatchObject({ stopped: "awaiting", hook: { awaiting: { kind: "review" } } });
  expect(first.message).toContain("Is this what was asked for?");
  expect(first.hook.owner).toBeUndefined();
  expect(world.outside.effects).toEqual([
    "work tree",
    "turn analyze-1",
    "turn implement-1",
    "commit implement-1",
    "review implement-1",
    "validate 1",
    "sign",
    "push",
    "pull request",
    "notify awaiting_human",
  ]);
  world.happen({ type: "human_approve" });
  const second = await world.drive();
  expect(second).toMatchObject({ stopped: "completed", task: { status: "completed" } });
  expect(second.hook.steps.map(({ name, status }) => `${name} ${status}`)).toEqual([
    "analyze completed",
    "implement completed",
    "validate completed",
    "git_commit skipped",
    "git_push completed",
    "git_pr completed",
    "review completed",
  ]);
  expect(readTaskLog(world.taskDir).map(({ type }) => type)).toEqual(told(world));
});

// SPEC.md, statements 167, 169, 172.
test("the work tree is ready, the git hook in place and the task step_pending before any agent works", async () => {
  const order: string[] = [];
  const world = aWorld({
    template: steps("ai"),
    parts: {
      setUp: async () => void order.push(`set-up in ${world.hook().state}`),
      gitHook: {
        install: async () => void order.push("git hook"),
        uninstall: async () => undefined,
      },
    },
    executors: {
      ai_1: {
        async look({ hook }) {
          order.push(`look in ${hook.state}`);
          return undefined;
        },
        async run({ hook }) {
          order.push(`agent in ${hook.state}`);
          return DONE;
        },
      },
    },
  });
  await world.drive();
  expect(order).toEqual([
    "set-up in initializing",
    "git hook",
    "look in step_pending",
    "agent in step_running",
  ]);
  expect(triggers(world.hook()).slice(0, 2)).toEqual(["init", "setup_complete"]);
  expect(world.hook().history[1]).toMatchObject({ toState: "step_pending" });
});

// SPEC.md, statements 168.
test("without a task nothing is made, and it is said that there is none", async () => {
  const world = aWorld();
  rmSync(world.taskDir, { recursive: true });
  mkdirSync(world.taskDir);
  await expect(world.drive()).rejects.toMatchObject({ code: "ERR_NOT_FOUND" });
  expect(world.bytes()).toEqual({});
});

// SPEC.md, statements 88, 89, 90, 91, 92, 93.
test("checkpoints come by themselves: of commits, pushes, pull requests, validations and steps", async () => {
  const world = aWorld();
  await world.drive();
  expect(made(world.hook())).toEqual([
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
  const [commit] = world.hook().checkpoints.filter(({ trigger }) => trigger === "git_commit");
  expect(commit).toMatchObject({ stepName: "implement", description: "Commit: implement-1" });
});

// SPEC.md, statements 92, 93.
test("a step's checkpoints and its end are one write", async () => {
  const world = aWorld();
  await world.drive();
  const store = createHookFileStore({ dir: world.taskDir });
  const revisions = [...store.history()].flatMap(({ event, revision }) =>
    event.stepName === "validate" && event.fromState === "step_validating"
      ? [`${event.trigger} ${revision}`]
      : [],
  );
  const [, revision] = revisions[0]?.split(" ") ?? [];
  expect(revisions).toEqual(
    ["checkpoint", "checkpoint", "validate_pass"].map((trigger) => `${trigger} ${revision}`),
  );
});

test.for([
  ["onCommit", "git_commit"],
  ["onPush", "git_push"],
  ["onPr", "pr_created"],
  ["onValidation", "validation"],
  ["onStepComplete", "step_complete"],
] as const)("with %s off there are none of %s, and the task continues", async ([key, trigger]) => {
  const world = aWorld({
    config: { checkpoints: { ...CONFIG.checkpoints, [key]: false } },
  });
  expect(await world.drive()).toMatchObject({ stopped: "awaiting" });
  expect(made(world.hook())).not.toContain(trigger);
});

/** A timer that is over when the test says so. */
function aTimer(): {
  readonly wait: (milliseconds: number, signal: AbortSignal) => Promise<unknown>;
  readonly pass: (milliseconds: number) => Promise<void>;
  readonly waiting: () => number;
} {
  const waiting = new Set<{ readonly for: number; readonly end: () => void }>();
  return {
    wait: (milliseconds, signal) =>
      new Promise((resolve, reject) => {
        const entry = { for: milliseconds, end: () => resolve(waiting.delete(entry)) };
        waiting.add(entry);
        signal.addEventListener("abort", () => {
          waiting.delete(entry);
          reject(signal.reason as Error);
        });
      }),
    async pass(milliseconds) {
      const count = waiting.size;
      for (const entry of waiting) if (entry.for === milliseconds) entry.end();
      // What was waited for is done when its next time is waited for.
      do await sleep(5);
      while (waiting.size < count);
    },
    waiting: () => waiting.size,
  };
}

// SPEC.md, statements 94, 113, 114, 170, 171.
test("while a step runs there is a checkpoint each 5 minutes, and none once the drive is over", async () => {
  const timer = aTimer();
  const world = aWorld({
    template: steps("ai", "human"),
    config: { checkpoints: { ...CONFIG.checkpoints, interval: 300_000 } },
    parts: { wait: timer.wait },
    executors: {
      ai_1: {
        async run() {
          await timer.pass(300_000);
          await timer.pass(300_000);
          return DONE;
        },
      },
    },
  });
  await world.drive();
  expect(made(world.hook())).toEqual(["interval", "interval", "step_complete"]);
  const [first] = world.hook().checkpoints;
  expect(first?.description).toMatch(/^Periodic checkpoint at \d\d:\d\d:\d\d$/u);
  expect(timer.waiting()).toBe(0);
});

test("a commit that an agent makes is noticed while it still works", async () => {
  const timer = aTimer();
  let seen: readonly string[] = [];
  const world = aWorld({
    template: steps("ai", "human"),
    parts: { wait: timer.wait },
    executors: {
      ai_1: {
        async run() {
          world.outside.commits.push({ sha: "c".repeat(40), subject: "Half of it" });
          await timer.pass(30_000);
          seen = made(world.hook());
          await timer.pass(30_000);
          return DONE;
        },
      },
    },
  });
  await world.drive();
  expect(seen).toEqual(["git_commit"]);
  expect(made(world.hook())).toEqual(["git_commit", "step_complete"]);
});

test("a commit that comes before a periodic checkpoint has its own before it", async () => {
  const timer = aTimer();
  const world = aWorld({
    template: steps("ai", "human"),
    config: { checkpoints: { ...CONFIG.checkpoints, interval: 300_000 } },
    parts: { wait: timer.wait },
    executors: {
      ai_1: {
        async run() {
          world.outside.commits.push({ sha: "c".repeat(40), subject: "Half of it" });
          await timer.pass(300_000);
          return DONE;
        },
      },
    },
  });
  await world.drive();
  expect(made(world.hook())).toEqual(["git_commit", "interval", "step_complete"]);
});

// SPEC.md, statements 10.
test("at a crash it is on record what the agent was doing, what it said last and which files it touched", async () => {
  const timer = aTimer();
  const world = aWorld({
    template: steps("ai", "human"),
    parts: { wait: timer.wait },
    executors: {
      ai_1: {
        async run(input) {
          world.outside.dirty.add("src/config.ts");
          input.note({
            workingOn: "the parser",
            lastOutput: `${"x".repeat(600)} adding nil checks`,
          });
          await timer.pass(30_000);
          throw new Killed("in the middle");
        },
      },
    },
  });
  world.outside.dirty.add("mine.txt");
  await expect(world.drive()).rejects.toThrow(Killed);
  const { currentStep } = world.hook();
  expect(currentStep).toMatchObject({ workingOn: "the parser", filesTouched: ["src/config.ts"] });
  expect(currentStep?.lastOutput).toHaveLength(500);
  expect(currentStep?.lastOutput).toMatch(/adding nil checks$/u);
  const hookMd = readFileSync(join(world.taskDir, "HOOK.md"), "utf8");
  for (const what of ["the parser", "src/config.ts", "adding nil checks"]) {
    expect(hookMd).toContain(what);
  }
  expect(hookMd).not.toContain("mine.txt");
});

// SPEC.md, statements 2, 202.
test("after a crash the step is taken up again at once, and it runs", async () => {
  let runs = 0;
  const world = aWorld({
    template: steps("ai", "human"),
    executors: {
      ai_1: {
        async run() {
          runs += 1;
          if (runs === 1) throw new Killed("in the middle");
          expect(world.hook().state).toBe("step_running");
          return DONE;
        },
      },
    },
  });
  await expect(world.drive()).rejects.toThrow(Killed);
  await world.drive();
  expect(triggers(world.hook())).toEqual([
    "init",
    "setup_complete",
    "start_step",
    "crash_detected",
    "retry_step",
    "start_step",
    "step_complete",
    "start_step",
    "human_required",
  ]);
  expect(world.events).toContainEqual(
    expect.objectContaining({ type: "recovered", step: "ai_1", action: "retry_step" }),
  );
});

// SPEC.md, statements 201, 202.
test("after a crash HOOK.md names the last checkpoint and what was being done, and the step runs on", async () => {
  const timer = aTimer();
  let runs = 0;
  const world = aWorld({
    template: steps("ai", "loop", "human"),
    config: { checkpoints: { ...CONFIG.checkpoints, interval: 300_000 } },
    parts: { wait: timer.wait },
    executors: {
      loop_2: {
        async run({ note }) {
          runs += 1;
          if (runs > 1) return DONE;
          note({ workingOn: "adding nil checks" });
          world.outside.commits.push({ sha: "c".repeat(40), subject: "Half of it" });
          await timer.pass(30_000);
          await timer.pass(300_000);
          throw new Killed("in the middle");
        },
      },
    },
  });
  await expect(world.drive()).rejects.toThrow(Killed);
  expect(made(world.hook())).toEqual(["step_complete", "git_commit", "interval"]);
  world.killAt(2); // just after it has been taken up
  await expect(world.drive()).rejects.toThrow(Killed);
  const { state, recovery, checkpoints } = world.hook();
  const last = checkpoints.at(-1)?.checkpointId ?? "";
  expect({ state, last: recovery?.lastCheckpointId }).toEqual({ state: "recovering", last });
  const hookMd = readFileSync(join(world.taskDir, "HOOK.md"), "utf8");
  for (const what of ["recovering", last, "adding nil checks"]) expect(hookMd).toContain(what);
  world.killAt(Number.POSITIVE_INFINITY);
  await world.drive();
  expect(triggers(world.hook()).slice(-6)).toEqual([
    "crash_detected",
    "retry_step",
    "start_step",
    "step_complete",
    "start_step",
    "human_required",
  ]);
});

test("the set-up is done again after a crash in it, before any step starts", async () => {
  const order: string[] = [];
  const world = aWorld({
    template: steps("ai"),
    parts: {
      async setUp() {
        order.push("set-up");
        if (order.length < 3) throw new Killed("in the set-up");
      },
    },
    executors: {
      ai_1: {
        async run() {
          order.push("agent");
          return DONE;
        },
      },
    },
  });
  await expect(world.drive()).rejects.toThrow(Killed);
  await expect(world.drive()).rejects.toThrow(Killed);
  expect(await world.drive()).toMatchObject({ stopped: "completed" });
  expect(order).toEqual(["set-up", "set-up", "set-up", "agent"]);
});

test("what fails is tried again as often as the step says, then a person is asked", async () => {
  const world = aWorld({
    template: [{ ...steps("ai")[0]!, maxAttempts: 3 }],
    executors: { ai_1: outcomes(FAILED) },
  });
  expect(await world.drive()).toMatchObject({
    stopped: "awaiting",
    task: { status: "validation_failed" },
  });
  expect(triggers(world.hook()).slice(2)).toEqual([
    "start_step",
    "attempt_failed",
    "attempt_failed",
    "human_required",
  ]);
  expect(world.hook().awaiting).toEqual({ kind: "attempts", reason: "it did not work" });
  expect(world.task().stepResults.map(({ attempt, status }) => `${attempt} ${status}`)).toEqual([
    "1 failed",
    "2 failed",
    "3 failed",
  ]);
  const failures = world.events.filter((event) => event.type === "step_failed");
  expect(failures.map(({ goesOn }) => goesOn)).toEqual([true, true, false]);
  expect(world.outside.effects).toContain("notify awaiting_human");
});

test("how often a drive was stopped takes nothing from how often a step is tried again", async () => {
  let runs = 0;
  const world = aWorld({
    template: [{ ...steps("ai")[0]!, maxAttempts: 2 }],
    executors: {
      ai_1: {
        async run() {
          runs += 1;
          if (runs <= 3) return { kind: "stopped", why: "limit", message: "later" };
          return runs === 4 ? FAILED : DONE;
        },
      },
    },
  });
  for (let drives = 1; drives <= 3; drives += 1) {
    expect(await world.drive()).toMatchObject({ stopped: "limit" });
  }
  expect(await world.drive()).toMatchObject({ stopped: "completed" });
});

test("a person who has a step tried again gives it all its attempts", async () => {
  const world = aWorld({
    template: [{ ...steps("ai")[0]!, maxAttempts: 2 }],
    executors: { ai_1: outcomes(FAILED) },
  });
  await world.drive();
  world.happen({ type: "retry_step" });
  await world.drive();
  expect(world.task().stepResults).toHaveLength(4);
});

test("what no other attempt would help is not tried again", async () => {
  const world = aWorld({
    template: [{ ...steps("ai")[0]!, maxAttempts: 3 }],
    executors: { ai_1: outcomes({ ...FAILED, retryable: false }) },
  });
  await world.drive();
  expect(triggers(world.hook())).not.toContain("attempt_failed");
});

test.for([
  [false, "ai_1-1"],
  [true, "ai_1-2"],
] as const)("where a run is over (%s) the next attempt is of %s", async ([endsRun, run]) => {
  const names: unknown[] = [];
  let attempts = 0;
  const world = aWorld({
    template: [{ ...steps("ai")[0]!, maxAttempts: 2 }],
    executors: {
      ai_1: {
        async run({ hook }) {
          names.push(hook.stepRuns);
          attempts += 1;
          return attempts === 1 ? { ...FAILED, endsRun } : DONE;
        },
      },
    },
  });
  await world.drive();
  expect(names).toEqual([{ ai_1: 1 }, { ai_1: Number(run.at(-1)) }]);
});

// SPEC.md, statements 77.
test("a validation that fails waits for a person, who is notified, and its receipts are kept", async () => {
  const receipt = aReceipt("rcpt-1", "validation_1", new Date());
  const world = aWorld({
    template: steps("validation"),
    executors: {
      validation_1: {
        look: async () => undefined,
        ...outcomes({ ...FAILED, awaiting: "validation", retryable: false, receipts: [receipt] }),
      },
    },
  });
  await world.drive();
  expect(world.hook()).toMatchObject({ state: "awaiting_human", receipts: [receipt] });
  expect(triggers(world.hook())).toContain("validate_fail");
  expect(world.outside.effects).toContain("notify awaiting_human");
});

// SPEC.md, statements 83.
test("where it is unknown whether a step took effect a person is asked, and notified", async () => {
  const world = aWorld({
    template: steps("git"),
    executors: {
      git_1: {
        look: async () => undefined,
        run: () => Promise.reject(new Killed("in the middle")),
        probe: async () => ({ kind: "unknown", reason: "the remote did not answer" }),
      },
    },
  });
  await expect(world.drive()).rejects.toThrow(Killed);
  expect(await world.drive()).toMatchObject({ stopped: "awaiting" });
  expect(triggers(world.hook()).slice(-2)).toEqual(["crash_detected", "manual_required"]);
  expect(world.hook().awaiting?.reason).toContain("the remote did not answer");
  expect(world.outside.effects).toEqual(["work tree", "notify awaiting_human"]);
});

test.for([
  ["interrupted", undefined],
  ["budget", undefined],
  ["limit", "2026-01-03T00:00:00.000Z"],
  ["storage", undefined],
] as const)(
  "a step that is stopped (%s) stays where it is, and continues with the next drive",
  async ([why, retryAt]) => {
    const stop: StepOutcome = { kind: "stopped", why, message: "enough", retryAt };
    const world = aWorld({
      template: steps("ai"),
      executors: { ai_1: outcomes(stop, DONE) },
    });
    const result = await world.drive();
    expect(result).toMatchObject({ stopped: why, message: "enough" });
    expect(result.retryAt).toBe(retryAt);
    expect(world.hook()).toMatchObject({ state: "step_running", steps: [{ attempts: 1 }] });
    expect(world.outside.effects).toEqual(["work tree"]);
    expect(await world.drive()).toMatchObject({ stopped: "completed" });
  },
);

test("told to stop between two steps, it does", async () => {
  const controller = new AbortController();
  const world = aWorld({
    template: steps("ai", "ai"),
    executors: {
      ai_1: {
        async run() {
          controller.abort();
          return DONE;
        },
      },
    },
  });
  expect(await world.drive(controller)).toMatchObject({ stopped: "interrupted" });
  expect(world.hook()).toMatchObject({ state: "step_pending" });
  expect(world.hook().owner).toBeUndefined();
});

test("an executor that throws once it is told to stop is stopped", async () => {
  const controller = new AbortController();
  const world = aWorld({
    template: steps("ai"),
    executors: {
      ai_1: {
        async run({ signal }) {
          controller.abort();
          signal.throwIfAborted();
          return DONE;
        },
      },
    },
  });
  expect(await world.drive(controller)).toMatchObject({ stopped: "interrupted" });
  expect(world.hook().state).toBe("step_running");
});

test("told to stop before it has begun, nothing happens", async () => {
  const world = aWorld();
  await expect(world.drive({ signal: AbortSignal.abort() })).resolves.toMatchObject({
    stopped: "interrupted",
  });
  expect(world.outside.effects).toEqual([]);
});

test("a disk that takes nothing stops the drive, and says so", async () => {
  const world = aWorld({
    template: steps("ai"),
    parts: {
      setUp: () => Promise.reject(new DurableError("ERR_NOT_DURABLE", "no space left")),
    },
  });
  expect(await world.drive()).toMatchObject({
    stopped: "storage",
    message: "the disk does not take what is written: no space left",
  });
});

test("nothing is validated, committed or reviewed while an agent of an earlier step works on", async () => {
  const ended: string[] = [];
  const world = aWorld({
    template: steps("ai", "validation", "git", "human"),
    parts: {
      async endAgents() {
        ended.push(world.hook().steps.find(({ status }) => status === "pending")?.name ?? "");
        return [{ runId: "task-ai-1", pids: [4711] }];
      },
    },
  });
  await world.drive();
  expect(ended).toEqual(["validation_2", "git_3", "human_4"]);
  expect(world.events).toContainEqual({
    type: "warning",
    message: "processes of an earlier step do not end:\nkill -9 4711",
  });
});

test("a task that waits for a person stays as it is, to the byte, and nobody is notified again", async () => {
  const world = aWorld();
  await world.drive();
  const before = world.bytes();
  const effects = [...world.outside.effects];
  expect(await world.drive()).toMatchObject({ stopped: "awaiting" });
  expect(world.bytes()).toEqual(before);
  expect(world.outside.effects).toEqual(effects);
});

test("a task that has ended stays as it is, to the byte", async () => {
  const world = aWorld({ template: steps("ai") });
  await world.drive();
  const before = world.bytes();
  expect(await world.drive()).toMatchObject({ stopped: "completed" });
  expect(world.bytes()).toEqual(before);
});

test("where another process drives, nothing is changed, and it is said who does", async () => {
  const world = aWorld();
  const before = world.bytes();
  const lock = acquireLock(join(world.taskDir, "run.lock"));
  await expect(world.drive()).rejects.toMatchObject({
    code: "ERR_LOCKED",
    message: expect.stringContaining(`process ${process.pid}`) as string,
  });
  lock.release();
  expect(world.bytes()).toEqual(before);
});

describe("a lock of the task that is removed while it is driven", () => {
  /** A world in whose step something is done to the lock; what its folder held then is kept. */
  function worldWhere(act: (lock: string) => void) {
    let before: unknown;
    const world = aWorld({
      template: steps("ai"),
      executors: {
        ai_1: {
          async run() {
            act(join(world.taskDir, "run.lock"));
            before = hookBytes();
            return DONE;
          },
        },
      },
    });
    const hookBytes = (): string => readFileSync(join(world.taskDir, "hook.json"), "utf8");
    return { world, isUnchanged: () => hookBytes() === before };
  }

  test("is taken again, and the task is driven to its end", async () => {
    const { world } = worldWhere((lock) => rmSync(lock));
    expect(await world.drive()).toMatchObject({ stopped: "completed" });
  });

  test("has the engine step back where another process has it", async () => {
    const { world, isUnchanged } = worldWhere((lock) => {
      rmSync(lock);
      rmSync(`${lock}.owner.json`);
      writeFileSync(lock, "");
      const database = new DatabaseSync(lock);
      database.exec("PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE");
      onTestFinished(() => database.close());
    });
    await expect(world.drive()).rejects.toMatchObject({
      code: "ERR_LOCKED",
      message: expect.stringContaining("another process has taken it") as string,
    });
    expect(isUnchanged()).toBe(true);
  });
});

test("where another process works in the work tree, nothing is changed", async () => {
  let isTaken = false;
  const world = aWorld({
    template: steps("ai", "ai"),
    parts: {
      async lockWorkTree() {
        if (isTaken) throw new TasksError("ERR_LOCKED", "quasar works there");
        return {
          path: "",
          owner: { pid: 1, host: "", startTime: 0, bootId: "" },
          isCurrent: () => true,
          retake: () => true,
          release() {},
        };
      },
    },
    executors: { ai_2: { run: () => Promise.reject(new Killed("in the middle")) } },
  });
  await expect(world.drive()).rejects.toThrow(Killed);
  isTaken = true;
  const before = world.bytes();
  await expect(world.drive()).rejects.toMatchObject({ code: "ERR_LOCKED" });
  expect(world.bytes()).toEqual(before);
});

test("where somebody may work on a step without an engine, it is not taken from them", async () => {
  const world = aWorld({ template: steps("ai") });
  world.happen({ type: "setup_complete" }, { type: "start_step" });
  const before = world.bytes();
  await expect(world.drive()).rejects.toMatchObject({ code: "ERR_LOCKED" });
  expect(world.bytes()).toEqual(before);
});

test("what only an engine does is taken up where nobody is on record as its owner", async () => {
  const world = aWorld({ template: steps("validation", "human") });
  world.happen({ type: "setup_complete" }, { type: "start_step" }, { type: "step_output" });
  expect(await world.drive()).toMatchObject({ stopped: "awaiting" });
  expect(world.hook().steps[0]).toMatchObject({ status: "completed", attempts: 1 });
});

test("task.json follows the hook file where a crash came between them", async () => {
  const world = aWorld();
  await world.drive();
  world.happen({ type: "abandon", reason: "no more" });
  expect(world.task().status).toBe("awaiting_approval");
  expect(await world.drive()).toMatchObject({
    stopped: "abandoned",
    message: "task task-1 was abandoned: no more",
  });
  expect(world.task().status).toBe("abandoned");
});

test("a task that is abandoned while a step runs is left alone, and its executor is told to stop", async () => {
  const timer = aTimer();
  const world = aWorld({
    template: steps("ai", "ai"),
    parts: { wait: timer.wait },
    executors: {
      ai_1: {
        async run({ signal }) {
          world.happen({ type: "abandon", reason: "no more" });
          await timer.pass(30_000);
          expect(signal.aborted).toBe(true);
          return DONE;
        },
      },
    },
  });
  expect(await world.drive()).toMatchObject({ stopped: "abandoned" });
  expect(triggers(world.hook()).at(-1)).toBe("abandon");
  expect(world.task()).toMatchObject({ status: "abandoned", stepResults: [] });
  expect(told(world)).not.toContain("step_done");
});

test("what an agent did just before a crash has its checkpoint, of the step that it was done in", async () => {
  let runs = 0;
  const world = aWorld({
    template: steps("ai", "human"),
    executors: {
      ai_1: {
        async run() {
          runs += 1;
          if (runs > 1) return DONE;
          world.outside.commits.push({ sha: "c".repeat(40), subject: "Half of it" });
          throw new Killed("just after its commit");
        },
      },
    },
  });
  await expect(world.drive()).rejects.toThrow(Killed);
  await world.drive();
  const { history, checkpoints } = world.hook();
  expect(checkpoints[0]).toMatchObject({ trigger: "git_commit", stepName: "ai_1" });
  expect(history.slice(3, 6).map(({ trigger, fromState }) => `${fromState} ${trigger}`)).toEqual([
    "step_running crash_detected",
    "recovering checkpoint",
    "recovering retry_step",
  ]);
});

test("an end that a person has brought about is told by the next drive, once", async () => {
  const world = aWorld({ template: steps("human") });
  await world.drive();
  world.happen({ type: "human_approve" });
  expect(await world.drive()).toMatchObject({ stopped: "completed" });
  await world.drive();
  expect(world.outside.effects).toEqual(["work tree", "notify awaiting_human", "notify completed"]);
});

test("what a person rejects is worked on again with what they said, by a new run", async () => {
  const world = aWorld();
  await world.drive();
  world.happen({ type: "human_reject", feedback: "mind the gap" });
  expect(await world.drive()).toMatchObject({ stopped: "awaiting" });
  expect(
    world.outside.effects.filter((effect) => /^(turn|validate|push|pull)/u.test(effect)),
  ).toEqual([
    "turn analyze-1",
    "turn implement-1",
    "validate 1",
    "push",
    "pull request",
    "turn implement-2",
    "validate 2",
    "push",
  ]);
  const starts = world.events.filter((event) => event.type === "step_started");
  expect(starts.map(({ step }) => step).lastIndexOf("analyze")).toBe(0);
});

test("receipts that were signed before a crash are taken into the hook file, once", async () => {
  const world = aWorld();
  world.killAt(Number.POSITIVE_INFINITY);
  const undisturbed = aWorld();
  undisturbed.killAt(Number.POSITIVE_INFINITY);
  await undisturbed.drive();
  world.killAt(undisturbed.points.indexOf("after sign") + 1);
  await expect(world.drive()).rejects.toThrow(Killed);
  expect(world.hook().receipts).toEqual([]);
  world.killAt(Number.POSITIVE_INFINITY);
  await world.drive();
  expect(world.hook().receipts.map(({ receiptId }) => receiptId)).toEqual(["rcpt-1"]);
  expect(world.hook().steps.find(({ name }) => name === "validate")).toMatchObject({
    status: "skipped",
    receiptIds: ["rcpt-1"],
  });
  expect(world.outside.effects.filter((effect) => effect === "validate 1")).toHaveLength(1);
  expect(world.outside.takenIn.slice(-2), "what the hook file has is not looked at again").toEqual([
    "head",
    "hook file",
  ]);
});

// SPEC.md, statements 8.
test("a crash in a validation is on record with the command that never completed", async () => {
  const world = aWorld({
    template: steps("validation", "human"),
    executors: {
      validation_1: {
        look: async () => undefined,
        run: () => Promise.reject(new Killed("in the middle")),
      },
    },
  });
  await expect(world.drive()).rejects.toThrow(Killed);
  await expect(world.drive()).rejects.toThrow(Killed);
  const crash = world.hook().history.find(({ trigger }) => trigger === "crash_detected");
  expect(crash?.details).toMatchObject({
    last_known_state: "step_validating",
    recommended_action: "retry_validation",
  });
});

test("a long prompt is an artifact, of which the hook file has the beginning; the executor has it whole", async () => {
  const prompt = `${"ü".repeat(9000)}the end`;
  let got = "";
  const world = aWorld({
    template: [{ ...steps("ai")[0]!, prompt }, ...steps("human")],
    executors: {
      ai_1: {
        async run(input) {
          got = input.prompt;
          throw new Killed("in the middle");
        },
      },
    },
  });
  await expect(world.drive()).rejects.toThrow(Killed);
  expect(got).toBe(prompt);
  const recorded = world.hook().currentStep?.prompt ?? "";
  expect(Buffer.byteLength(recorded)).toBeLessThanOrEqual(16 * 1024);
  expect(recorded).toMatch(
    /^ü+\n…\n\(The whole prompt is in artifacts\/prompts\/ai_1-1\.md\.\)\n$/u,
  );
});

test("secrets are taken out of all that is recorded", async () => {
  const outcome: StepOutcome = {
    kind: "awaiting",
    awaiting: "git",
    reason: "log in with hunter2",
    output: "the password is hunter2",
  };
  const world = aWorld({
    template: steps("ai"),
    executors: {
      ai_1: {
        async run({ note }) {
          note({ workingOn: "typing hunter2", lastOutput: "hunter2" });
          return outcome;
        },
      },
    },
  });
  await world.drive();
  for (const text of Object.values(world.bytes())) expect(text).not.toContain("hunter2");
  expect(JSON.stringify(world.events)).not.toContain("hunter2");
  expect(world.hook().awaiting?.reason).toBe("log in with ***");
});

test("what a step put out is an artifact before the step is on record as done", async () => {
  const world = aWorld({ template: steps("ai", "human") });
  await world.drive();
  const [result] = world.task().stepResults;
  expect(result).toMatchObject({ status: "success", artifactPath: "steps/ai_1-1.md" });
  const artifact = join(world.taskDir, "artifacts", result?.artifactPath ?? "");
  expect(readFileSync(artifact, "utf8")).toBe("all of ai_1-1");
});

test.for([
  [
    "a folder is in the place of hook.json",
    (dir: string) => {
      rmSync(join(dir, "hook.json"));
      mkdirSync(join(dir, "hook.json"));
    },
  ],
  [
    "a file is in the place of the history",
    (dir: string) => {
      renameSync(join(dir, "history"), join(dir, "was-history"));
      writeFileSync(join(dir, "history"), "");
    },
  ],
] as const)("where %s the error says so", async ([, plant]) => {
  const world = aWorld();
  plant(world.taskDir);
  await expect(world.drive()).rejects.toMatchObject({
    name: "TasksError",
    code: "ERR_DAMAGED",
    message: expect.stringContaining(world.taskDir) as string,
  });
});

test("the work tree is checked once between two steps, and again where a step was skipped between", async () => {
  const looks: string[] = [];
  const { workTreeReader } = aWorld().parts;
  const world = aWorld({
    parts: {
      workTreeReader: {
        ...workTreeReader,
        async inspect(...asked) {
          const { state, currentStep } = world.hook();
          looks.push(currentStep === undefined ? state : `${state} ${currentStep.stepName}`);
          return workTreeReader.inspect(...asked);
        },
        async facts(...asked) {
          looks.push("for a checkpoint");
          return workTreeReader.facts(...asked);
        },
      },
    },
  });
  await world.drive();
  expect(looks).toEqual([
    "step_pending",
    "step_running analyze",
    "step_running implement",
    "step_validating validate",
    "step_pending", // git_commit was skipped
    "step_running git_push",
    "step_running git_pr",
  ]);
});
