import type { StepRecord, StepType } from "@quasar/hookfile";

/** What an attempt may cost and how it is taken up again, where a template does not say. */
export const STEP_DEFAULTS: Readonly<
  Record<StepType, { readonly maxAttempts: number; readonly recovery: StepRecord["recovery"] }>
> = {
  ai: { maxAttempts: 3, recovery: "retry" },
  loop: { maxAttempts: 3, recovery: "retry" },
  validation: { maxAttempts: 3, recovery: "retry" },
  git: { maxAttempts: 3, recovery: "reconcile" },
  human: { maxAttempts: 1, recovery: "manual" },
  verify: { maxAttempts: 2, recovery: "retry" },
  ci: { maxAttempts: 1, recovery: "retry" },
};

export const STEP_TYPES = Object.keys(STEP_DEFAULTS) as readonly StepType[];
export const STEP_RECOVERIES: readonly StepRecord["recovery"][] = ["retry", "reconcile", "manual"];
export const GIT_ACTIONS = ["commit", "push", "create_pr"] as const;
