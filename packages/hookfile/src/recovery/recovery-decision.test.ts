import { expect, test } from "vitest";
import { after, aHook, STEPS } from "../../test/interrupted.ts";
import { createCheckpoint } from "../../test/create-checkpoint.ts";
import type { HookFile } from "../store/hook-file.ts";
import {
  checkpointOfAttempt,
  decideRecovery,
  RECOVERY_EVENTS,
  type StepEffect,
} from "./recovery-decision.ts";

const FOUND: StepEffect = { kind: "found", evidence: "origin/fix is at HEAD" };
const MISSING: StepEffect = { kind: "missing" };
const UNKNOWN: StepEffect = { kind: "unknown", reason: "the remote does not answer" };

// SPEC.md, statements 181-185.
test.for([
  ["step_running in a step that may be repeated", "step_running", "implement", "retry_step", 181],
  ["step_running in a step that may not", "step_running", "review", "manual", 182],
  ["step_validating", "step_validating", "validate", "retry_validation", 183],
  ["awaiting_human", "awaiting_human", "review", "await_human", 184],
  ["initializing", "initializing", undefined, "retry_step", 185],
  ["step_pending", "step_pending", undefined, "retry_step", 185],
] as const)("%s leads to the seed's action", ([, state, step, action]) => {
  expect(decideRecovery(aHook(state, step)).action).toBe(action);
});

test.for([
  ["is there: it is skipped, with the evidence", FOUND, "skip_step", "origin/fix is at HEAD"],
  ["is missing: it is done again", MISSING, "retry_step", "git_push has not taken effect"],
  ["is unknown: a person decides", UNKNOWN, "manual", "the remote does not answer"],
  ["was not searched for: a person decides", undefined, "manual", "nobody has looked"],
] as const)("of a step that acts outside, the effect %s", ([, effect, action, said]) => {
  const decision = decideRecovery(aHook("step_running", "git_push"), effect);
  expect(decision.action).toBe(action);
  expect(decision.reason).toContain(said);
});

test.for(STEPS)("$name is decided by what it says of itself, not by its name", (step) => {
  const steps = STEPS.map((each) => ({ ...each, recovery: "manual" as const }));
  expect(decideRecovery(aHook("step_running", step.name, { steps })).action).toBe("manual");
});

/** In a step's first attempt, after a checkpoint of another or of the same. */
function withCheckpoint(step: string, of: string = step): HookFile {
  const at = { now: after(0), id: "ckpt-0000000000000001", trigger: "git_commit" } as const;
  const facts = { description: "Commit: first", git: { branch: "fix/null", dirty: false } };
  const { hook } = createCheckpoint(aHook("step_running", of), { ...at, ...facts });
  return of === step ? hook : { ...hook, currentStep: aHook("step_running", step).currentStep };
}

// SPEC.md, statements 180.
test("with a checkpoint of this attempt the step is retried, and the checkpoint named", () => {
  const { action, reason } = decideRecovery(withCheckpoint("implement"));
  expect(action).toBe("retry_step");
  expect(reason).toContain("ckpt-0000000000000001 (git_commit)");
});

test("a checkpoint of another step shows nothing of this one", () => {
  const hook = withCheckpoint("implement", "analyze");
  expect(checkpointOfAttempt(hook)).toBeUndefined();
  expect(decideRecovery(hook).reason).toBe("implement may be repeated");
});

test("a checkpoint does not let a push be repeated blindly", () => {
  const hook = withCheckpoint("git_push");
  expect(checkpointOfAttempt(hook)).toBeDefined();
  expect(decideRecovery(hook).action).toBe("manual");
  expect(decideRecovery(hook, FOUND).action).toBe("skip_step");
});

test.for(["step_running", "recovering"] as const)(
  "%s, with nothing on record of what was interrupted, is for a person",
  (state) => {
    expect(decideRecovery(aHook(state)).action).toBe("manual");
  },
);

test.for(["completed", "failed", "abandoned"] as const)("%s is never recovered", (state) => {
  const error = { name: "HookFileError", code: "ERR_INVALID_TRANSITION" };
  expect(() => decideRecovery(aHook(state))).toThrow(expect.objectContaining(error));
});

// SPEC.md, statements 177.
test("each action is carried out by exactly one event", () => {
  expect(RECOVERY_EVENTS).toEqual({
    retry_step: "retry_step",
    retry_validation: "retry_step",
    skip_step: "skip_step",
    manual: "manual_required",
    await_human: "manual_required",
  });
});
