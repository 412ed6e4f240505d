import { currentProcess } from "@quasar/process";
import * as fc from "fast-check";
import { byLane } from "@quasar/vitest/lane";
import { expect, test } from "vitest";
import { createCheckpoint } from "./create-checkpoint.ts";
import { crash } from "../src/recovery/crash.ts";
import type { Change } from "../src/store/entries.ts";
import { HookFileError } from "../src/errors.ts";
import { CHECKPOINT_TRIGGERS, HOOK_STATES, type HookFile } from "../src/store/hook-file.ts";
import { judge } from "../src/recovery/judge.ts";
import { detectAndRecover, recoveryInput } from "../src/recovery/recovery.ts";
import type { StepEffect } from "../src/recovery/recovery-decision.ts";
import type { HookInput } from "../src/transitions/transition-events.ts";
import { transition } from "../src/transitions/transitions.ts";
import { aTask, filesBelow } from "./stored-task.ts";
import { after, aHook, STEPS } from "./interrupted.ts";

const DEAD = { ...currentProcess(), startTime: 1, runId: "run-1" };

const effect: fc.Arbitrary<StepEffect> = fc.constantFrom(
  { kind: "found", evidence: "it is there" },
  { kind: "missing" },
  { kind: "unknown", reason: "no answer" },
);

const INPUTS: readonly HookInput[] = [
  { type: "setup_complete" },
  { type: "start_step" },
  { type: "step_complete" },
  { type: "step_output" },
  { type: "validate_fail", reason: "red", receipts: [] },
  { type: "attempt_failed", reason: "red" },
  { type: "human_required", kind: "review", reason: "look" },
  { type: "human_approve" },
  { type: "retry_step" },
  { type: "skip_step", reason: "not wanted" },
];

/** What happens next. `go`: one of what may happen to the task as it is. */
const action = fc.oneof(
  { weight: 6, arbitrary: fc.record({ type: fc.constant("go"), pick: fc.nat({ max: 5039 }) }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant("crash"), effect }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("follow") }) },
  {
    weight: 1,
    arbitrary: fc.record({
      type: fc.constant("save"),
      trigger: fc.constantFrom(...CHECKPOINT_TRIGGERS),
    }),
  },
);
type Action = typeof action extends fc.Arbitrary<infer T> ? T : never;

/** The change that an action asks for; `undefined` for none. */
function changeBy(hook: HookFile, act: Action, now: Date): Change | undefined {
  if (act.type === "crash") return undefined;
  if (act.type === "go") {
    const changes = INPUTS.map((input) => attempt(() => transition(hook, [input], { now })));
    const possible = changes.filter((change) => change !== undefined);
    return possible[act.pick % possible.length];
  }
  if (act.type === "follow") {
    const isRecovering = hook.state === "recovering" && hook.recovery !== undefined;
    return isRecovering ? transition(hook, [recoveryInput(hook.recovery)], { now }) : undefined;
  }
  const id = `ckpt-${hook.counts.checkpoints}`;
  const git = { branch: "fix/null", dirty: false };
  const created = { id, trigger: act.trigger, description: "", git, now };
  return attempt(() => createCheckpoint(hook, created));
}

/** `undefined` where it is refused. */
function attempt<T>(act: () => T): T | undefined {
  try {
    return act();
  } catch (error) {
    if (error instanceof HookFileError && error.code === "ERR_INVALID_TRANSITION") return undefined;
    throw error;
  }
}

const DONE = ["completed", "skipped"];

function expectKept(before: HookFile, now: HookFile): void {
  expect(HOOK_STATES).toContain(now.state);
  expect(now.history.slice(0, before.history.length)).toEqual(before.history);
  for (const [index, { status }] of before.steps.entries()) {
    if (DONE.includes(status)) expect(now.steps[index]?.status).toBe(status);
  }
}

/** What a detection does after its engine has died, without a disk. */
function detected(hook: HookFile, effect: StepEffect, now: Date): HookFile {
  const kind = judge(hook, { driver: "gone", lastSign: now, now });
  return kind === "interrupted" ? crash(hook, "gone", { effect }, now).hook : hook;
}

// SPEC.md, statements 3, 9, 15.
test("in any order of work, crashes and recoveries no step that is done is done again, and detecting twice is detecting once", {
  timeout: 600_000,
}, () => {
  const seen = new Set<string>();
  const run = (actions: readonly Action[]): void => {
    let hook = aHook("initializing", undefined, { steps: STEPS.map((step) => ({ ...step })) });
    for (const [index, act] of actions.entries()) {
      const before = hook;
      const now = after(index * 1000);
      if (act.type === "crash") {
        hook = detected(hook, act.effect, now);
        expect(detected(hook, act.effect, after(index * 1000 + 1))).toBe(hook);
        if (hook !== before) seen.add(`${before.state} ${hook.recovery?.recommendedAction}`);
      } else {
        hook = changeBy(before, act, now)?.hook ?? hook;
      }
      expectKept(before, hook);
    }
  };
  fc.assert(fc.property(fc.array(action, { minLength: 5, maxLength: 40, size: "max" }), run), {
    numRuns: byLane({ fast: 20, whole: 150, long: 10_000 }),
    seed: 1,
  });
  expect([...seen].toSorted()).toEqual([
    "initializing retry_step",
    "step_running manual",
    "step_running retry_step",
    "step_running skip_step",
    "step_validating retry_validation",
  ]);
});

// SPEC.md, statements 15.
test("the same holds on disk, to the byte", { timeout: 600_000 }, async () => {
  const run = async (actions: readonly Action[]): Promise<void> => {
    const { store, dir, now, pass } = aTask();
    store.update((hook) => ({ hook: { ...hook, owner: DEAD }, events: [] }));
    for (const act of actions) {
      pass(1000);
      const before = store.read() as HookFile;
      if (act.type === "crash") {
        const inspect = async () => ({ effect: act.effect });
        const first = await detectAndRecover(dir, { now, inspect });
        const files = filesBelow(dir);
        pass(1000);
        expect(await detectAndRecover(dir, { now, inspect })).toEqual(first);
        expect(filesBelow(dir)).toEqual(files);
      } else {
        store.update((hook) => {
          const change = changeBy(hook, act, now());
          return change && { ...change, hook: { ...change.hook, owner: DEAD } };
        });
      }
      expectKept(before, store.read() as HookFile);
    }
  };
  await fc.assert(fc.asyncProperty(fc.array(action, { minLength: 12, maxLength: 16 }), run), {
    numRuns: byLane({ fast: 1, whole: 2, long: 100 }),
    seed: 1,
  });
});
