import type { HookFile, StepRecord } from "./hook-file.ts";

/** Where a task is in its template: at the step that is current, or else before the next one. */
export interface StepPosition {
  readonly name: string;
  /** From 1. */
  readonly number: number;
  /** How many steps the template has. */
  readonly total: number;
  readonly record: StepRecord | undefined;
}

/** `undefined` where no step is current and none is left. */
export function stepPositionOf(hook: HookFile): StepPosition | undefined {
  const { currentStep, steps } = hook;
  const total = steps.length;
  if (currentStep !== undefined) {
    const { stepName, stepIndex } = currentStep;
    return { name: stepName, number: stepIndex + 1, total, record: steps[stepIndex] };
  }
  const index = steps.findIndex((step) => !isDone(step));
  const next = steps[index];
  return next && { name: next.name, number: index + 1, total, record: next };
}

/** Whether a step is not to be done again. */
export function isDone(step: StepRecord): boolean {
  return step.status === "completed" || step.status === "skipped";
}
