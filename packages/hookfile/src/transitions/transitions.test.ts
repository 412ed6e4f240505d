import { describe, expect, test } from "vitest";
import { aCheckpoint, aReceipt, aTask } from "../../test/a-task.ts";
import { checkChange } from "./change.ts";
import { encodeHookFile } from "../store/hook-codec.ts";
import { HOOK_STATES, type HookFile, type HookState, NEWEST_KEPT } from "../store/hook-file.ts";
import type { HookInput, HookTrigger } from "./transition-events.ts";
import { isTerminal, transitionOnce, transition, TRANSITIONS } from "./transitions.ts";

const now = new Date("2026-01-02T03:04:05.678Z");
const later = new Date("2026-01-02T03:05:05.678Z");

const recovery = {
  detectedAt: now.toISOString(),
  crashType: "signal",
  lastKnownState: "step_running",
  wasValidating: false,
  recommendedAction: "retry_step",
  reason: "the process is gone",
} as const;

/** One input of each type, as it may come. */
const INPUTS: { readonly [Type in HookTrigger]: Extract<HookInput, { type: Type }> } = {
  init: { type: "init", task: aTask() },
  setup_complete: { type: "setup_complete" },
  start_step: { type: "start_step", prompt: "Fix it" },
  step_output: { type: "step_output" },
  checkpoint: { type: "checkpoint", checkpoint: aCheckpoint() },
  step_complete: { type: "step_complete" },
  validate_pass: { type: "validate_pass", receipts: [aReceipt()] },
  validate_fail: { type: "validate_fail", reason: "a test fails", receipts: [aReceipt()] },
  attempt_failed: { type: "attempt_failed", reason: "no change" },
  human_required: { type: "human_required", kind: "review", reason: "Please look" },
  human_approve: { type: "human_approve" },
  human_reject: { type: "human_reject", feedback: "not so" },
  retry_step: { type: "retry_step" },
  skip_step: { type: "skip_step", reason: "there is no remote" },
  crash_detected: { type: "crash_detected", recovery },
  manual_required: { type: "manual_required", reason: "ask" },
  fail: { type: "fail", reason: "cannot be" },
  abandon: { type: "abandon" },
};

function after(...inputs: readonly HookInput[]): HookFile {
  const { hook } = transitionOnce(undefined, INPUTS.init, { now });
  return transition(hook, inputs, { now }).hook;
}

const { setup_complete: ready, start_step: start, step_complete: complete } = INPUTS;
const { step_output: output, validate_pass: pass, human_required: ask } = INPUTS;

/** The way to the validation step, and to the review, the last one. */
const TO_VALIDATE: readonly HookInput[] = [ready, start, complete, start, output];
const TO_REVIEW: readonly HookInput[] = [...TO_VALIDATE, pass, start, complete, start, ask];

const IN_STATE: { readonly [State in HookState]: HookFile } = {
  initializing: after(),
  step_pending: after(ready),
  step_running: after(ready, start),
  step_validating: after(...TO_VALIDATE),
  awaiting_human: after(...TO_REVIEW),
  recovering: after(ready, start, INPUTS.crash_detected),
  completed: after(...TO_REVIEW, INPUTS.human_approve),
  failed: after(INPUTS.fail),
  abandoned: after(INPUTS.abandon),
};

// SPEC.md, statements 34.
test("there are nine states with exactly these strings", () => {
  expect(HOOK_STATES).toEqual([
    "initializing",
    "step_pending",
    "step_running",
    "step_validating",
    "awaiting_human",
    "recovering",
    "completed",
    "failed",
    "abandoned",
  ]);
});

/** The seed's table with the decided additions, written out: what the code's table is held against. */
const EVERYWHERE = "checkpoint crash_detected fail abandon";
const ALLOWED: { readonly [State in HookState | ""]: string } = {
  "": "init",
  initializing: `setup_complete ${EVERYWHERE}`,
  step_pending: `start_step skip_step ${EVERYWHERE}`,
  step_running: `step_output step_complete attempt_failed human_required ${EVERYWHERE}`,
  step_validating: `validate_pass validate_fail attempt_failed ${EVERYWHERE}`,
  awaiting_human: `human_approve human_reject retry_step ${EVERYWHERE}`,
  recovering: `retry_step skip_step manual_required ${EVERYWHERE}`,
  completed: "",
  failed: "",
  abandoned: "",
};

// SPEC.md, statements 13.
describe("every state is defined: what is not in the table is refused and changes nothing", () => {
  const cases = (["", ...HOOK_STATES] as const).flatMap((state) =>
    Object.values(INPUTS).map((input) => [state, input.type, input] as const),
  );
  test.for(cases)("%s + %s", ([state, type, input]) => {
    const hook = state === "" ? undefined : IN_STATE[state];
    expect(hook?.state ?? "").toBe(state);
    const before = JSON.stringify(hook);
    if (ALLOWED[state].split(" ").includes(type)) {
      // A step of this type may not have this event: that is tested below.
      if (state === "step_running" && type === "step_output") return;
      const { hook: next, event } = transitionOnce(hook, withStep(input, hook), { now: later });
      const row = TRANSITIONS.find((row) => row.from === state && row.trigger === type);
      expect(row?.to).toContain(next.state);
      expect(event).toMatchObject({
        timestamp: later.toISOString(),
        fromState: state,
        toState: next.state,
        trigger: type,
      });
      expect(next.history).toEqual([...(hook?.history ?? []), event]);
      expect(next.counts.events).toBe((hook?.counts.events ?? 0) + 1);
      expect(() => encodeHookFile({ ...next, revision: 1 })).not.toThrow();
    } else {
      const act = (): unknown => transitionOnce(hook, input, { now: later });
      expect(act).toThrow(expect.objectContaining({ code: "ERR_INVALID_TRANSITION" }));
    }
    expect(JSON.stringify(hook)).toBe(before);
  });
});

/** Receipts are of the current step. */
function withStep(input: HookInput, hook: HookFile | undefined): HookInput {
  if (!("receipts" in input)) return input;
  const stepName = hook?.currentStep?.stepName ?? "";
  return { ...input, receipts: (input.receipts ?? []).map((one) => ({ ...one, stepName })) };
}

// SPEC.md, statements 69-85.
test("the table has no row but those, and none twice", () => {
  const rows = TRANSITIONS.map(({ from, trigger }) => `${from} ${trigger}`).toSorted();
  const wanted = Object.entries(ALLOWED).flatMap(([state, triggers]) =>
    triggers.split(" ").flatMap((trigger) => (trigger === "" ? [] : [`${state} ${trigger}`])),
  );
  expect(rows).toEqual(wanted.toSorted());
});

// SPEC.md, statements 205.
test("TestHookStateTransitions: init, setup_complete, and start_step on a completed task", () => {
  const { hook } = transitionOnce(undefined, INPUTS.init, { now });
  expect(hook.state).toBe("initializing");
  expect(transitionOnce(hook, ready, { now }).hook.state).toBe("step_pending");
  const act = (): unknown => transitionOnce(IN_STATE.completed, start, { now });
  expect(act).toThrow(expect.objectContaining({ code: "ERR_INVALID_TRANSITION" }));
});

// SPEC.md, statements 86.
test("a completed task that is told to start a step is refused and stays as it is", () => {
  const before = structuredClone(IN_STATE.completed);
  expect(() => transitionOnce(IN_STATE.completed, start, { now })).toThrow(
    "completed + start_step",
  );
  expect(IN_STATE.completed).toEqual(before);
});

// SPEC.md, statements 69.
test("init makes a task that is initializing, with all steps pending", () => {
  const { hook, event } = transitionOnce(undefined, INPUTS.init, { now });
  expect(hook).toMatchObject({ version: "1.0", taskId: "task-550e8400", state: "initializing" });
  expect(hook).not.toHaveProperty("currentStep");
  expect(hook.steps.map(({ status }) => status)).toEqual(Array(4).fill("pending"));
  expect(hook.steps.map(({ recovery }) => recovery)).toEqual([
    "retry",
    "retry",
    "reconcile",
    "manual",
  ]);
  expect(hook.steps.map(({ onReject }) => onReject)).toEqual([
    "implement",
    "validate",
    "implement",
    "implement",
  ]);
  expect(event).toMatchObject({ fromState: "", toState: "initializing", trigger: "init" });
});

// SPEC.md, statements 70.
test("setup_complete leads to step_pending, on record", () => {
  const { hook, event } = transitionOnce(IN_STATE.initializing, ready, { now });
  expect([hook.state, event.toState]).toEqual(["step_pending", "step_pending"]);
});

// SPEC.md, statements 71.
test("start_step sets the current step with its prompt and attempt", () => {
  const { hook, event } = transitionOnce(after(ready), start, { now: later });
  expect(hook.state).toBe("step_running");
  expect(hook.currentStep).toEqual({
    stepName: "implement",
    stepIndex: 0,
    startedAt: later.toISOString(),
    prompt: "Fix it",
    attempt: 1,
    maxAttempts: 3,
  });
  expect(hook.steps[0]).toMatchObject({ status: "running", attempts: 1 });
  expect(event).toMatchObject({ stepName: "implement", details: { attempt: 1 } });
});

// SPEC.md, statements 72.
test("step_output leads a validation step, and only such, to step_validating", () => {
  expect(after(ready, start, complete, start, output).state).toBe("step_validating");
  const act = (): unknown => transitionOnce(IN_STATE.step_running, output, { now });
  expect(act).toThrow(expect.objectContaining({ code: "ERR_INVALID_TRANSITION" }));
});

test("a validation step does not end by step_complete", () => {
  const hook = after(ready, start, complete, start);
  const act = (): unknown => transitionOnce(hook, complete, { now });
  expect(act).toThrow(expect.objectContaining({ code: "ERR_INVALID_TRANSITION" }));
});

// SPEC.md, statements 73.
test("checkpoint saves one, and names it as the current step's", () => {
  const { hook, event } = transitionOnce(IN_STATE.step_running, INPUTS.checkpoint, { now });
  expect(hook.state).toBe("step_running");
  expect(hook.checkpoints).toEqual([aCheckpoint()]);
  expect(hook.currentStep?.currentCheckpointId).toBe("ckpt-1");
  expect(event.details).toEqual({ checkpoint_id: "ckpt-1", trigger: "manual" });
});

// SPEC.md, statements 74.
test("validate_pass leads to step_pending while steps remain", () => {
  const { hook } = transitionOnce(IN_STATE.step_validating, pass, { now: later });
  expect(hook.state).toBe("step_pending");
  expect(hook).not.toHaveProperty("currentStep");
});

// SPEC.md, statements 75.
test("validate_pass of the last step completes the task", () => {
  const steps = [{ name: "validate", type: "validation" }] as const;
  const first = transitionOnce(undefined, { type: "init", task: aTask({ steps }) }, { now }).hook;
  const { hook } = transition(first, [ready, start, output, pass], { now });
  expect(hook.state).toBe("completed");
});

// SPEC.md, statements 76.
test("validate_pass keeps the receipts and completes the step", () => {
  const { hook } = transitionOnce(IN_STATE.step_validating, pass, { now: later });
  expect(hook.receipts).toEqual([aReceipt()]);
  expect(hook.steps[1]).toMatchObject({
    status: "completed",
    completedAt: later.toISOString(),
    durationMs: 60_000,
    receiptIds: ["rcpt-1"],
  });
});

test("a pass that no receipt of the step proves is refused", () => {
  for (const receipts of [[], [aReceipt({ stepName: "implement" })]]) {
    const act = (): unknown =>
      transitionOnce(IN_STATE.step_validating, { ...pass, receipts }, { now });
    expect(act).toThrow(expect.objectContaining({ code: "ERR_INVALID_HOOK_FILE" }));
  }
});

test("validate_fail keeps the receipts and waits for a person", () => {
  const { hook, event } = transitionOnce(IN_STATE.step_validating, INPUTS.validate_fail, { now });
  expect(hook).toMatchObject({
    state: "awaiting_human",
    awaiting: { kind: "validation", reason: "a test fails" },
    receipts: [aReceipt()],
  });
  expect(event.details).toMatchObject({ kind: "validation", receipts: ["rcpt-1"] });
});

test("an attempt that has failed is on record, and the next one counts", () => {
  const { hook, event } = transitionOnce(IN_STATE.step_running, INPUTS.attempt_failed, { now });
  expect(hook.state).toBe("step_running");
  expect([hook.currentStep?.attempt, hook.steps[0]?.attempts]).toEqual([2, 2]);
  expect(event.details).toEqual({ attempt: 1, reason: "no change" });
});

// SPEC.md, statements 78.
test("human_approve continues to the next step, and completes the task after the last", () => {
  const steps = [
    { name: "look", type: "human" },
    { name: "push", type: "git" },
  ] as const;
  const first = transitionOnce(undefined, { type: "init", task: aTask({ steps }) }, { now }).hook;
  const approved = transition(first, [ready, start, ask, INPUTS.human_approve], { now }).hook;
  expect(approved.state).toBe("step_pending");
  expect(approved.steps.map(({ status }) => status)).toEqual(["completed", "pending"]);
  expect(approved).not.toHaveProperty("awaiting");
  expect(IN_STATE.completed.steps.every(({ status }) => status === "completed")).toBe(true);
});

test("a git step that a person is asked to review has not acted: approved, it is due", () => {
  const steps = [{ name: "push", type: "git" }] as const;
  const first = transitionOnce(undefined, { type: "init", task: aTask({ steps }) }, { now }).hook;
  const approved = transition(first, [ready, start, ask, INPUTS.human_approve], { now }).hook;
  expect(approved).toMatchObject({ state: "step_pending", steps: [{ status: "pending" }] });
  expect(approved).not.toHaveProperty("awaiting");
  const again = transitionOnce(approved, start, { now }).hook;
  expect(again.currentStep).toMatchObject({ stepName: "push", attempt: 2 });
});

test("a person approves a review only", () => {
  const hook = after(...TO_VALIDATE, INPUTS.validate_fail);
  const act = (): unknown => transitionOnce(hook, INPUTS.human_approve, { now });
  expect(act).toThrow(expect.objectContaining({ code: "ERR_INVALID_TRANSITION" }));
});

test("what a person asked of a step that was skipped since is not asked of it again", () => {
  const rejected = after(...TO_VALIDATE, INPUTS.validate_fail, INPUTS.human_reject);
  const skipped = transition(
    rejected,
    [INPUTS.skip_step, start, complete, start, ask, { type: "human_reject", feedback: "other" }],
    { now },
  ).hook;
  expect(skipped.steps.map(({ feedback }) => feedback)).toEqual([
    "other",
    undefined,
    undefined,
    undefined,
  ]);
});

test("a step that is skipped has not the duration of an attempt that was rejected", () => {
  const rejected = after(...TO_REVIEW, INPUTS.human_reject);
  const { hook } = transitionOnce(rejected, INPUTS.skip_step, { now: later });
  expect(hook.steps[0]).toMatchObject({ status: "skipped" });
  expect(hook.steps[0]).not.toHaveProperty("durationMs");
  expect(hook.steps[0]).not.toHaveProperty("completedAt");
});

test.for([
  ["approved", INPUTS.human_approve],
  ["sent back to another step", INPUTS.human_reject],
] as const)(
  "what the crash was goes with the step that it was of, when that is %s",
  ([, decision]) => {
    const crashed = after(...TO_REVIEW, INPUTS.crash_detected, {
      type: "manual_required",
      kind: "review",
      reason: "Please look",
    });
    expect(crashed.recovery).toEqual(recovery);
    expect(transitionOnce(crashed, decision, { now }).hook).not.toHaveProperty("recovery");
  },
);

// SPEC.md, statements 79.
test("human_reject goes back to the same step, with the feedback", () => {
  const failed = after(...TO_VALIDATE, INPUTS.validate_fail);
  const { hook } = transitionOnce(failed, INPUTS.human_reject, { now });
  expect(hook.state).toBe("step_pending");
  expect(hook.steps[1]).toMatchObject({ status: "pending", feedback: "not so" });
  const again = transitionOnce(hook, start, { now }).hook;
  expect(again.currentStep).toMatchObject({ stepName: "validate", attempt: 2 });
});

test("a review that is rejected makes rework of the step before it that writes, and of all since", () => {
  const { hook, event } = transitionOnce(IN_STATE.awaiting_human, INPUTS.human_reject, { now });
  const { steps } = hook;
  expect(steps.map(({ status }) => status)).toEqual(["rework", "rework", "rework", "pending"]);
  expect(steps.map(({ feedback }) => feedback)).toEqual(["not so", ...Array(3).fill(undefined)]);
  expect(event.details).toEqual({ feedback: "not so", on_reject: "implement" });
  const again = transitionOnce(hook, start, { now }).hook;
  expect(again.currentStep).toMatchObject({ stepName: "implement", attempt: 2 });
  expect(again.steps[0]?.feedback).toBe("not so");
  expect(transitionOnce(again, complete, { now }).hook.steps[0]).not.toHaveProperty("feedback");
});

// SPEC.md, statements 80.
test("crash_detected leads from every state that is not terminal to recovering", () => {
  for (const state of HOOK_STATES.filter((state) => !isTerminal(state))) {
    const { hook } = transitionOnce(IN_STATE[state], INPUTS.crash_detected, { now });
    expect(hook).toMatchObject({ state: "recovering", recovery });
  }
});

// SPEC.md, statements 81.
test("retry_step goes to the start of the same step; what the crash was is kept until then", () => {
  const { hook } = transitionOnce(IN_STATE.recovering, INPUTS.retry_step, { now });
  expect(hook).toMatchObject({ state: "step_pending", recovery });
  expect(hook.steps[0]?.status).toBe("pending");
  const again = transitionOnce(hook, start, { now }).hook;
  expect(again.currentStep).toMatchObject({ stepName: "implement", attempt: 2 });
  expect(again).not.toHaveProperty("recovery");
});

// SPEC.md, statements 82.
test("skip_step continues to the next step, and is recorded as skipped, never as completed", () => {
  const skip = { type: "skip_step", reason: "pushed already", evidence: "origin has it" } as const;
  const { hook, event } = transitionOnce(IN_STATE.recovering, skip, { now });
  expect(hook.state).toBe("step_pending");
  expect(hook.steps[0]).toMatchObject({
    status: "skipped",
    note: "pushed already: origin has it",
  });
  expect(event).toMatchObject({ stepName: "implement", details: { evidence: "origin has it" } });
  const last = after(...TO_REVIEW.slice(0, -2));
  expect(transitionOnce(last, INPUTS.skip_step, { now }).hook.state).toBe("completed");
});

test("manual_required puts a person in charge", () => {
  const { hook } = transitionOnce(IN_STATE.recovering, INPUTS.manual_required, { now });
  expect(hook).toMatchObject({
    state: "awaiting_human",
    awaiting: { kind: "interrupted", reason: "ask" },
  });
});

// SPEC.md, statements 84.
test("abandon and fail lead from every state that is not terminal to the end", () => {
  for (const state of HOOK_STATES.filter((state) => !isTerminal(state))) {
    expect(transitionOnce(IN_STATE[state], INPUTS.abandon, { now }).hook.state).toBe("abandoned");
    const { hook } = transitionOnce(IN_STATE[state], INPUTS.fail, { now });
    expect(hook.state).toBe("failed");
    expect(hook).not.toHaveProperty("currentStep");
    expect(hook).not.toHaveProperty("awaiting");
  }
});

// SPEC.md, statements 85.
test("step_complete continues to the next step, and completes the task after the last", () => {
  const { hook } = transitionOnce(IN_STATE.step_running, complete, { now: later });
  expect(hook.state).toBe("step_pending");
  expect(hook.steps[0]).toMatchObject({ status: "completed", durationMs: 60_000 });
  const steps = [{ name: "fix", type: "loop" }] as const;
  const first = transitionOnce(undefined, { type: "init", task: aTask({ steps }) }, { now }).hook;
  expect(transition(first, [ready, start, complete], { now }).hook.state).toBe("completed");
});

// SPEC.md, statements 87.
test("every transition appends an event with from, to, trigger and time", () => {
  const { history } = IN_STATE.completed;
  expect(history.map(({ trigger }) => trigger)).toEqual([
    "init",
    ...TO_REVIEW.map(({ type }) => type),
    "human_approve",
  ]);
  for (const [index, event] of history.entries()) {
    expect(event.fromState).toBe(history[index - 1]?.toState ?? "");
    expect(event.timestamp).toBe(now.toISOString());
  }
});

test("several transitions are one change, with their receipts and checkpoints", () => {
  const inputs = [INPUTS.checkpoint, pass];
  const change = transition(IN_STATE.step_validating, inputs, { now });
  expect(change).toMatchObject({ receipts: [aReceipt()], checkpoints: [aCheckpoint()] });
  expect(() => checkChange(IN_STATE.step_validating, change)).not.toThrow();
});

test("the newest 200 events, checkpoints and receipts stay, and all are counted", () => {
  const inputs = Array<HookInput>(NEWEST_KEPT + 20).fill(INPUTS.checkpoint);
  const { hook } = transition(IN_STATE.step_running, inputs, { now });
  expect(hook.history).toHaveLength(200);
  expect(hook.checkpoints).toHaveLength(200);
  expect(hook.counts).toEqual({ events: 223, receipts: 0, checkpoints: 220 });
});

test.for([
  ["no step", []],
  [
    "two steps of one name",
    [
      { name: "a", type: "ai" },
      { name: "a", type: "git" },
    ],
  ],
  [
    "a reject to a later step",
    [
      { name: "a", type: "ai", onReject: "b" },
      { name: "b", type: "git" },
    ],
  ],
] as const)("a task with %s is refused", ([, steps]) => {
  const act = (): unknown =>
    transitionOnce(undefined, { type: "init", task: aTask({ steps }) }, { now });
  expect(act).toThrow(expect.objectContaining({ code: "ERR_INVALID_HOOK_FILE" }));
});

// SPEC.md, statements 12.
test.for([
  ["of another revision", (hook: HookFile) => ({ ...hook, revision: 7 }), "ERR_STALE"],
  ["of another task", (hook: HookFile) => ({ ...hook, taskId: "x" }), "ERR_INVALID_HOOK_FILE"],
  [
    "that forgets the history",
    (hook: HookFile) => ({ ...hook, history: hook.history.slice(1) }),
    "ERR_INVALID_HOOK_FILE",
  ],
  [
    "that rewrites an event",
    (hook: HookFile) => ({
      ...hook,
      history: hook.history.map((event) => ({ ...event, timestamp: later.toISOString() })),
    }),
    "ERR_INVALID_HOOK_FILE",
  ],
  [
    "to a state that no event leads to",
    (hook: HookFile) => ({ ...hook, state: "completed" as const }),
    "ERR_INVALID_HOOK_FILE",
  ],
] as const)("a change %s is refused", ([, spoil, code]) => {
  const change = transition(IN_STATE.step_running, [INPUTS.checkpoint], { now });
  const spoilt = { ...change, hook: spoil(change.hook) };
  const act = (): unknown => checkChange(IN_STATE.step_running, spoilt);
  expect(act).toThrow(expect.objectContaining({ code }));
});

test("a change by an event that is not in the table is refused", () => {
  const change = transition(IN_STATE.step_running, [INPUTS.checkpoint], { now });
  const events = change.events.map((event) => ({ ...event, trigger: "human_approve" }));
  const act = (): unknown => checkChange(IN_STATE.step_running, { ...change, events });
  expect(act).toThrow("is not a transition");
});

test("a task begins with its first event, and not without one", () => {
  const { hook, events } = transition(undefined, [INPUTS.init, ready], { now });
  expect(hook.state).toBe("step_pending");
  expect(events.map(({ trigger }) => trigger)).toEqual(["init", "setup_complete"]);
  const act = (): unknown => transition(undefined, [], { now });
  expect(act).toThrow(expect.objectContaining({ code: "ERR_INVALID_HOOK_FILE" }));
});
