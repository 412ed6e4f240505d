import type { HookFile, StepRecord } from "../store/hook-file.ts";
import { nextStep } from "./steps.ts";

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
  const next = nextStep(hook);
  return next && { name: next.name, number: steps.indexOf(next) + 1, total, record: next };
}
