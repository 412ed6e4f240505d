import { invalid } from "../errors.ts";
import type { HookFile, NewStep, NewTask, StepRecord } from "../store/hook-file.ts";

/** The first step that is neither completed nor skipped; `undefined` where none remains. */
export function nextStep(hook: HookFile): StepRecord | undefined {
  return hook.steps.find((step) => !isDone(step));
}

/** Whether a step is not to be done again. */
export function isDone({ status }: StepRecord): boolean {
  return status === "completed" || status === "skipped";
}

/**
 * Whether the work tree and the branch are known to be there: not so before `setup_complete`, nor after
 * a crash before it, until a step is started.
 */
export function isSetUp({ state, recovery }: HookFile): boolean {
  return state !== "initializing" && recovery?.lastKnownState !== "initializing";
}

/**
 * The steps of a new task, as they are before anything has happened.
 *
 * @throws {HookFileError} `ERR_INVALID_HOOK_FILE` for no step, two of one name, and an `onReject` that
 *   names none before it.
 */
export function newSteps({ steps }: NewTask): readonly StepRecord[] {
  if (steps.length === 0) throw invalid("steps is empty");
  return steps.map((step, index) => newStep(step, steps.slice(0, index)));
}

function newStep(step: NewStep, before: readonly NewStep[]): StepRecord {
  const { name, type, maxAttempts = 1 } = step;
  const where = `steps[${before.length}]`;
  if (before.some((other) => other.name === name)) throw invalid(`${where}.name is taken`);
  const onReject = step.onReject ?? defaultOnReject(step, before);
  if (onReject !== name && !before.some((other) => other.name === onReject)) {
    throw invalid(`${where}.on_reject names no step up to it`);
  }
  const recovery = step.recovery ?? DEFAULT_RECOVERY[type];
  return {
    name,
    type,
    recovery,
    maxAttempts,
    status: "pending",
    attempts: 0,
    receiptIds: [],
    onReject,
  };
}

const DEFAULT_RECOVERY = {
  ai: "retry",
  loop: "retry",
  validation: "retry",
  git: "reconcile",
  human: "manual",
  verify: "retry",
  ci: "retry",
} as const;

function defaultOnReject(step: NewStep, before: readonly NewStep[]): string {
  const writes = ({ type }: NewStep): boolean => type === "ai" || type === "loop";
  const isReviewed = step.type === "human" || step.type === "git";
  const writer = isReviewed ? before.findLast(writes) : undefined;
  return (writer ?? step).name;
}
