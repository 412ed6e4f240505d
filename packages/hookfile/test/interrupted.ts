import type { HookFile, HookState, StepContext, StepRecord } from "../src/store/hook-file.ts";

export const START = "2026-01-02T03:04:05.000Z";

/** A time after {@link START}. */
export function after(milliseconds: number): Date {
  return new Date(Date.parse(START) + milliseconds);
}

export const SECOND = 1000;
export const MINUTE = 60 * SECOND;
export const DAY = 24 * 60 * MINUTE;

const STEP: StepRecord = {
  name: "analyze",
  type: "ai",
  recovery: "retry",
  maxAttempts: 3,
  status: "pending",
  attempts: 0,
  receiptIds: [],
};

/** analyze, implement, validate, git_push, review: a step of each kind of recovery. */
export const STEPS: readonly StepRecord[] = [
  STEP,
  { ...STEP, name: "implement", type: "loop" },
  { ...STEP, name: "validate", type: "validation" },
  { ...STEP, name: "git_push", type: "git", recovery: "reconcile" },
  { ...STEP, name: "review", type: "human", recovery: "manual" },
];

/** A hook file in a state, with the step of that name current. */
export function aHook(
  state: HookState,
  stepName?: string,
  change: Partial<HookFile> = {},
): HookFile {
  const stepIndex = STEPS.findIndex(({ name }) => name === stepName);
  return {
    version: "1.0",
    taskId: "task-1",
    workspaceId: "ws",
    createdAt: START,
    updatedAt: START,
    revision: 7,
    title: "Fix the null pointer",
    description: "",
    template: "bugfix",
    branch: "fix/null",
    worktreePath: "/repo-fix",
    repoPath: "/repo",
    keyIndex: 0,
    state,
    currentStep: stepIndex < 0 ? undefined : aStepContext(stepIndex),
    steps: STEPS,
    counts: { events: 0, receipts: 0, checkpoints: 0 },
    history: [],
    receipts: [],
    checkpoints: [],
    extra: {},
    ...change,
  };
}

function aStepContext(stepIndex: number): StepContext {
  return {
    stepName: STEPS[stepIndex]?.name ?? "",
    stepIndex,
    startedAt: START,
    prompt: "Do it",
    attempt: 1,
    maxAttempts: 3,
  };
}
