import { HookFileError } from "../errors.ts";
import type { HookFile, RecoveryAction, StepCheckpoint, StepRecovery } from "../store/hook-file.ts";

/** Whether what a step does outside the hook file (a commit, a push, a pull request) is there. */
export type StepEffect =
  | {
      readonly kind: "found";
      /** What shows it, in one line: `commit 1a2b3c4 has the trailers of this attempt`. */
      readonly evidence: string;
    }
  | { readonly kind: "missing" }
  | { readonly kind: "unknown"; readonly reason: string };

export interface RecoveryDecision {
  readonly action: RecoveryAction;
  /** For a person. */
  readonly reason: string;
}

/** The one event that carries an action out. `await_human` needs none while the task waits already. */
export const RECOVERY_EVENTS = {
  retry_step: "retry_step",
  retry_validation: "retry_step",
  skip_step: "skip_step",
  manual: "manual_required",
  await_human: "manual_required",
} as const satisfies Readonly<Record<RecoveryAction, string>>;

/**
 * How a task that was interrupted in the state that `hook` shows continues: the seed's
 * `determineRecoveryAction`, decided by what the current step says of itself.
 *
 * @param effect - Of the current step; of use where its recovery is `reconcile`.
 * @throws {HookFileError} `ERR_INVALID_TRANSITION` where the task has ended.
 * @see SPEC.md, "Recovery"
 */
export function decideRecovery(hook: HookFile, effect: StepEffect = NOT_LOOKED): RecoveryDecision {
  switch (hook.state) {
    case "initializing":
      return { action: "retry_step", reason: "the set-up was interrupted and may be repeated" };
    case "step_pending":
      return { action: "retry_step", reason: "no step had begun" };
    case "step_running":
      return decideStep(hook, effect);
    case "step_validating": {
      const reason = "the validation was interrupted: it has neither passed nor failed";
      return { action: "retry_validation", reason };
    }
    case "awaiting_human":
      return { action: "await_human", reason: "a person's decision is awaited" };
    case "recovering":
      return { action: "manual", reason: "what was interrupted is not on record" };
    case "completed":
    case "failed":
    case "abandoned":
      throw new HookFileError("ERR_INVALID_TRANSITION", `the task is ${hook.state}: it has ended`);
  }
}

const NOT_LOOKED: StepEffect = { kind: "unknown", reason: "nobody has looked" };

function decideStep(hook: HookFile, effect: StepEffect): RecoveryDecision {
  const step = hook.steps.find(({ name }) => name === hook.currentStep?.stepName);
  if (step === undefined) {
    return { action: "manual", reason: "which step was interrupted is not on record" };
  }
  const decide: Readonly<Record<StepRecovery, () => RecoveryDecision>> = {
    retry: () => ({ action: "retry_step", reason: whyRetry(step.name, checkpointOfAttempt(hook)) }),
    reconcile: () => reconcile(step.name, effect),
    manual: () => ({ action: "manual", reason: `${step.name} is not repeated by itself` }),
  };
  return decide[step.recovery]();
}

function whyRetry(name: string, checkpoint: StepCheckpoint | undefined): string {
  const at = checkpoint ? `, last seen at ${checkpoint.checkpointId} (${checkpoint.trigger})` : "";
  return `${name} may be repeated${at}`;
}

function reconcile(name: string, effect: StepEffect): RecoveryDecision {
  switch (effect.kind) {
    case "found":
      return { action: "skip_step", reason: `${name} has taken effect: ${effect.evidence}` };
    case "missing":
      return { action: "retry_step", reason: `${name} has not taken effect` };
    case "unknown": {
      const reason = `whether ${name} has taken effect is not known: ${effect.reason}`;
      return { action: "manual", reason };
    }
  }
}

/** What begins an attempt. */
const BEGINNINGS = ["start_step", "attempt_failed"];

/** The newest checkpoint of the current step's current attempt; one of another shows nothing about it. */
export function checkpointOfAttempt(hook: HookFile): StepCheckpoint | undefined {
  const { currentStep, history, checkpoints } = hook;
  const begun = history.findLastIndex(({ trigger }) => BEGINNINGS.includes(trigger));
  const ids = history.slice(begun + 1).map(({ details }) => details?.["checkpoint_id"]);
  return checkpoints.findLast(
    ({ checkpointId, stepName }) =>
      stepName === currentStep?.stepName && ids.includes(checkpointId),
  );
}
