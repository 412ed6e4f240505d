import { expect, test } from "vitest";
import { after, aHook, START } from "../../test/interrupted.ts";
import { createCheckpoint } from "../../test/create-checkpoint.ts";
import { type NewCheckpoint, newCheckpointId } from "./checkpoints.ts";
import { CHECKPOINT_TRIGGERS, HOOK_STATES, type HookFile } from "../store/hook-file.ts";
import { checkpointOfAttempt } from "../recovery/recovery-decision.ts";
import { isTerminal, transitionOnce } from "../transitions/transitions.ts";

const COMMIT = "1234567890123456789012345678901234567890";

function created(change: Partial<NewCheckpoint> = {}): NewCheckpoint {
  return {
    id: "ckpt-00112233aabbccdd",
    trigger: "git_commit",
    description: "Commit: first",
    git: { branch: "fix/null", commit: COMMIT, dirty: true },
    now: after(1000),
    ...change,
  };
}

// SPEC.md, statements 206.
test("three triggers make three checkpoints, the commit's first", () => {
  let hook = aHook("step_running", "implement");
  for (const [index, trigger] of (["git_commit", "git_push", "validation"] as const).entries()) {
    const id = `ckpt-${index}`;
    ({ hook } = createCheckpoint(hook, created({ id, trigger, description: "Test checkpoint" })));
  }
  expect(hook.checkpoints).toHaveLength(3);
  expect(hook.checkpoints[0]?.trigger).toBe("git_commit");
});

// SPEC.md, statements 89-94, 103, 104, 106.
test.for(CHECKPOINT_TRIGGERS)(
  "%s makes a checkpoint with id, time, step, description, trigger and git's state",
  (trigger) => {
    const hook = aHook("step_running", "implement");
    const change = createCheckpoint(hook, created({ trigger }));
    const checkpoint = {
      checkpointId: "ckpt-00112233aabbccdd",
      createdAt: "2026-01-02T03:04:06.000Z",
      stepName: "implement",
      stepIndex: 1,
      description: "Commit: first",
      trigger,
      gitBranch: "fix/null",
      gitCommit: COMMIT,
      gitDirty: true,
    };
    expect(change.checkpoints).toEqual([checkpoint]);
    expect(change.hook.checkpoints).toEqual([checkpoint]);
    expect(change.hook.counts.checkpoints).toBe(1);
    expect(change.hook.state).toBe("step_running");
  },
);

// SPEC.md, statements 107.
test("the current step points to its newest checkpoint", () => {
  const { hook } = createCheckpoint(aHook("step_running", "implement"), created());
  expect(hook.currentStep?.currentCheckpointId).toBe("ckpt-00112233aabbccdd");
});

// SPEC.md, statements 108.
test("the history says which checkpoint was made, and why", () => {
  const change = createCheckpoint(aHook("step_running", "implement"), created());
  const event = {
    timestamp: "2026-01-02T03:04:06.000Z",
    fromState: "step_running",
    toState: "step_running",
    trigger: "checkpoint",
    stepName: "implement",
    details: { checkpoint_id: "ckpt-00112233aabbccdd", trigger: "git_commit" },
  };
  expect(change.events).toEqual([event]);
  expect(change.hook.history).toEqual([event]);
});

test.for(HOOK_STATES.filter((state) => !isTerminal(state)))(
  "a checkpoint can be made in %s, also where no step is current, and the state stays",
  (state) => {
    const { hook, checkpoints } = createCheckpoint(aHook(state), created());
    expect(hook.state).toBe(state);
    expect(checkpoints).toMatchObject([{ stepName: "", stepIndex: -1 }]);
    expect(hook.currentStep).toBeUndefined();
  },
);

test.for(HOOK_STATES.filter(isTerminal))("no checkpoint can be made in %s", (state) => {
  const error = { name: "HookFileError", code: "ERR_INVALID_TRANSITION" };
  const act = (): unknown => createCheckpoint(aHook(state), created());
  expect(act).toThrow(expect.objectContaining(error));
});

test("there is no commit and no branch where git has none", () => {
  const git = { branch: "", dirty: false };
  const { checkpoints } = createCheckpoint(aHook("initializing"), created({ git }));
  expect(checkpoints?.[0]).toMatchObject({ gitBranch: "", gitDirty: false });
  expect(checkpoints?.[0]).not.toHaveProperty("gitCommit");
});

// SPEC.md, statements 92, 93.
test.for([
  ["step_complete", "step_running", "implement", { type: "step_complete" }],
  ["validation", "step_validating", "validate", { type: "validate_pass", receipts: [aReceipt()] }],
] as const)(
  "the checkpoint of %s and what it marks are one change, and it is of the step that ends",
  ([trigger, state, step, then]) => {
    const hook = aHook(state, step);
    const change = createCheckpoint(hook, created({ trigger }), [then]);
    expect(change.hook.state).toBe("step_pending");
    expect(change.checkpoints).toMatchObject([{ stepName: step, trigger }]);
    expect(change.events.map((event) => event.trigger)).toEqual(["checkpoint", then.type]);
    expect(change.hook.history).toEqual(change.events);
    expect(change.receipts).toHaveLength("receipts" in then ? 1 : 0);
  },
);

test("where the transition is refused, there is no checkpoint either", () => {
  const hook = aHook("step_running", "implement");
  const act = (): unknown => createCheckpoint(hook, created(), [{ type: "start_step" }]);
  expect(act).toThrow(expect.objectContaining({ code: "ERR_INVALID_TRANSITION" }));
  expect(hook).toEqual(aHook("step_running", "implement"));
});

test.for([
  ["Commit: one\nand a body", "Commit: one"],
  ["  \n Commit: one\r\n", "Commit: one"],
  ["", ""],
  ["x".repeat(500), "x".repeat(500)],
  ["x".repeat(1e6), `${"x".repeat(499)}…`],
  ["😀".repeat(600), `${"😀".repeat(499)}…`],
] as const)("of the description %j the first line is kept, not too long", ([description, kept]) => {
  const { checkpoints } = createCheckpoint(aHook("step_pending"), created({ description }));
  expect(checkpoints?.[0]?.description).toBe(kept);
});

test("ids are ckpt- and random hex, and differ", () => {
  const ids = Array.from({ length: 1000 }, () => newCheckpointId());
  for (const id of ids) expect(id).toMatch(/^ckpt-[0-9a-f]{16}$/);
  expect(new Set(ids).size).toBe(1000);
  expect(newCheckpointId((size) => new Uint8Array(size))).toBe("ckpt-0000000000000000");
});

test("a checkpoint counts for the attempt that it was made in, however the clock goes", () => {
  const now = new Date(START);
  const steps = aHook("step_pending").steps.slice(1);
  const started = transitionOnce(
    aHook("step_pending", undefined, { steps }),
    { type: "start_step" },
    { now },
  );
  const { hook: first } = createCheckpoint(started.hook, created({ now: after(-1000) }));
  expect(checkpointOfAttempt(first)?.checkpointId).toBe("ckpt-00112233aabbccdd");

  const failed = { type: "attempt_failed", reason: "it broke" } as const;
  const second: HookFile = transitionOnce(first, failed, { now }).hook;
  expect(checkpointOfAttempt(second)).toBeUndefined();
  const { hook: again } = createCheckpoint(second, created({ id: "ckpt-2" }));
  expect(checkpointOfAttempt(again)?.checkpointId).toBe("ckpt-2");
});

function aReceipt() {
  return {
    receiptId: "rcpt-1",
    stepName: "validate",
    command: "npm test",
    exitCode: 0,
    startedAt: START,
    completedAt: START,
    duration: "1s",
    stdoutHash: "0".repeat(64),
    stderrHash: "0".repeat(64),
    keyPath: "m/44'/236'/0'/0'/0'",
    keyId: "0".repeat(16),
    sigAlg: "ed25519-slip10",
    sigVersion: 2,
    signature: "0".repeat(128),
  } as const;
}
