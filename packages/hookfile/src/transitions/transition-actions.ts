import type { ValidationReceipt } from "@quasar/receipts";
import { type HookFileError, invalid } from "../errors.ts";
import {
  HOOK_FILE_VERSION,
  type HookFile,
  type NewTask,
  type StepCheckpoint,
  type StepContext,
  type StepRecord,
} from "../store/hook-file.ts";
import { omit } from "../store/omit.ts";
import { isSetUp, newSteps, nextStep } from "./steps.ts";
import type { HookInput, HookTrigger } from "./transition-events.ts";

/** What a transition does, but for the state and the lists. */
export interface Outcome {
  readonly hook: HookFile;
  readonly stepName: string | undefined;
  readonly details: Readonly<Record<string, unknown>>;
  readonly receipts?: readonly ValidationReceipt[] | undefined;
  readonly checkpoints?: readonly StepCheckpoint[] | undefined;
}

export interface Circumstances {
  /** RFC 3339. */
  readonly now: string;
  /** An error that says why this step, or this wait, has no such transition. */
  readonly refuse: (why: string) => HookFileError;
}

interface Before extends Circumstances {
  readonly hook: HookFile;
}

type Action<Type extends HookTrigger> = (
  before: Before,
  input: Extract<HookInput, { type: Type }>,
) => Partial<Outcome>;

/** Does what the table's rows say in their last column, in the state that `hook` is in. */
export function perform(
  hook: HookFile | undefined,
  input: HookInput,
  circumstances: Circumstances,
): Outcome {
  const before = { ...circumstances, hook: hook ?? blank(circumstances.now) };
  const act = ACTIONS[input.type] as Action<HookTrigger>;
  const outcome = act(before, input);
  const ofStep = before.hook.currentStep?.stepName;
  return {
    hook: before.hook,
    stepName: ofStep,
    ...outcome,
    details: defined({ ...input.details, ...outcome.details }),
  };
}

const ACTIONS: { readonly [Type in HookTrigger]: Action<Type> } = {
  init: ({ hook }, { task }) => ({ hook: { ...hook, ...describe(task) } }),

  setup_complete: () => ({}),

  start_step: ({ hook, now }, { prompt = "", workingOn }) => {
    const step = present(nextStep(hook));
    const attempt = step.attempts + 1;
    const { name, maxAttempts } = step;
    const currentStep: StepContext = {
      stepName: name,
      stepIndex: hook.steps.indexOf(step),
      startedAt: now,
      prompt,
      attempt,
      maxAttempts,
      ...(workingOn !== undefined && { workingOn }),
    };
    const started: StepRecord = {
      ...omit(step, "completedAt", "durationMs", "note"),
      status: "running",
      attempts: attempt,
      startedAt: now,
    };
    return {
      hook: { ...withStep(omit(hook, "recovery"), started), currentStep },
      stepName: name,
      details: { attempt },
    };
  },

  step_output: ({ hook, refuse }) => {
    const { type } = currentStep(hook);
    if (type !== "validation") throw refuse(`a step of type ${type} ends by step_complete`);
    return {};
  },

  checkpoint: ({ hook }, { checkpoint }) => {
    const { checkpointId, trigger } = checkpoint;
    const context = hook.currentStep && { ...hook.currentStep, currentCheckpointId: checkpointId };
    return {
      hook: context === undefined ? hook : { ...hook, currentStep: context },
      details: { checkpoint_id: checkpointId, trigger },
      checkpoints: [checkpoint],
    };
  },

  step_complete: ({ hook, now, refuse }) => {
    const step = currentStep(hook);
    if (step.type === "validation") throw refuse("a validation step ends by what it validated");
    return { hook: advanceStep(hook, completed(step, now)) };
  },

  validate_pass: ({ hook, now }, { receipts }) => {
    if (receipts.length === 0) throw invalid("receipts is empty: nothing proves that it passed");
    const step = withReceipts(currentStep(hook), receipts);
    return { hook: advanceStep(hook, completed(step, now)), receipts, details: idsOf(receipts) };
  },

  validate_fail: ({ hook }, { reason, receipts }) => {
    const step = withReceipts(currentStep(hook), receipts);
    const failed = withStep(hook, { ...step, status: "failed", note: reason });
    const details = { kind: "validation", reason, ...idsOf(receipts) };
    return { hook: { ...failed, awaiting: { kind: "validation", reason } }, receipts, details };
  },

  attempt_failed: ({ hook }, { reason, receipts = [] }) => {
    const step = withReceipts(currentStep(hook), receipts);
    const context = present(hook.currentStep);
    const attempt = context.attempt + 1;
    const tried = withStep(hook, { ...step, attempts: attempt });
    return {
      hook: { ...tried, currentStep: { ...context, attempt } },
      receipts,
      details: { attempt: context.attempt, reason, ...idsOf(receipts) },
    };
  },

  human_required: ({ hook }, { kind, reason }) => {
    const step = currentStep(hook);
    const hasFailed = kind !== "review" && kind !== "interrupted";
    const waiting = hasFailed ? withStep(hook, { ...step, status: "failed", note: reason }) : hook;
    return { hook: { ...waiting, awaiting: { kind, reason } }, details: { kind, reason } };
  },

  human_approve: ({ hook, now, refuse }) => {
    const { kind } = present(hook.awaiting);
    if (kind !== "review") throw refuse(`a person approves a review only, this is ${kind}`);
    const step = currentStep(hook);
    // It has not acted: it does now, on what was approved.
    if (step.type === "git") return { hook: withStep(hook, { ...step, status: "pending" }) };
    return { hook: advanceStep(hook, completed(step, now)) };
  },

  human_reject: ({ hook }, { feedback }) => {
    const step = hook.currentStep === undefined ? present(nextStep(hook)) : currentStep(hook);
    const target = step.onReject ?? step.name;
    const from = hook.steps.findIndex(({ name }) => name === target);
    const to = hook.steps.indexOf(step);
    const steps = hook.steps.map((other, index) => {
      if (index < from || index > to) return other;
      const isTold = index === from || other.type === "ai" || other.type === "loop";
      return { ...again(other), ...(isTold && { feedback }) };
    });
    return {
      hook: { ...(target === step.name ? hook : leaveStep(hook)), steps },
      stepName: step.name,
      details: { feedback, on_reject: target },
    };
  },

  retry_step: ({ hook }) => {
    if (hook.currentStep === undefined) return {};
    return { hook: withStep(hook, { ...currentStep(hook), status: "pending" }) };
  },

  skip_step: ({ hook }, { reason, evidence }) => {
    const step = hook.currentStep === undefined ? present(nextStep(hook)) : currentStep(hook);
    const note = evidence === undefined ? reason : `${reason}: ${evidence}`;
    const left = omit(step, "feedback", "completedAt", "durationMs");
    const next = advanceStep(hook, { ...left, status: "skipped", note });
    return { hook: next, stepName: step.name, details: { reason, evidence } };
  },

  crash_detected: ({ hook }, { recovery }) => ({
    hook: { ...hook, recovery },
    details: {
      crash_type: recovery.crashType,
      last_known_state: recovery.lastKnownState,
      recommended_action: recovery.recommendedAction,
    },
  }),

  manual_required: ({ hook }, { reason, kind = "interrupted" }) => ({
    hook: { ...hook, awaiting: { kind, reason } },
    details: { kind, reason },
  }),

  fail: ({ hook }, { reason }) => ({
    hook: hook.currentStep
      ? withStep(hook, { ...currentStep(hook), status: "failed", note: reason })
      : hook,
    details: { reason },
  }),

  abandon: ({ hook }, { reason }) => ({
    hook: hook.currentStep ? withStep(hook, again(currentStep(hook))) : hook,
    details: { reason },
  }),
};

function blank(now: string): HookFile {
  return {
    version: HOOK_FILE_VERSION,
    taskId: "",
    workspaceId: "",
    createdAt: now,
    updatedAt: now,
    revision: 0,
    title: "",
    description: "",
    template: "",
    branch: "",
    worktreePath: "",
    repoPath: "",
    keyIndex: 0,
    state: "initializing",
    steps: [],
    counts: { events: 0, receipts: 0, checkpoints: 0 },
    history: [],
    receipts: [],
    checkpoints: [],
    extra: {},
  };
}

function describe(task: NewTask): Omit<NewTask, "steps"> & Pick<HookFile, "steps"> {
  const { taskId, workspaceId, title, description, template } = task;
  const { branch, worktreePath, repoPath, keyIndex } = task;
  const names = { taskId, workspaceId, title, description, template };
  return { ...names, branch, worktreePath, repoPath, keyIndex, steps: newSteps(task) };
}

function currentStep(hook: HookFile): StepRecord {
  return present(hook.steps.find(({ name }) => name === hook.currentStep?.stepName));
}

function withStep(hook: HookFile, changed: StepRecord): HookFile {
  const steps = hook.steps.map((step) => (step.name === changed.name ? changed : step));
  return { ...hook, steps };
}

/** To the next step, which is not started yet. */
function advanceStep(hook: HookFile, done: StepRecord): HookFile {
  return leaveStep(withStep(hook, done));
}

/** With what was known of its interruption; that of the set-up stays until a step starts. */
function leaveStep(hook: HookFile): HookFile {
  return isSetUp(hook) ? omit(hook, "currentStep", "recovery") : omit(hook, "currentStep");
}

function completed(step: StepRecord, now: string): StepRecord {
  const startedAt = step.startedAt ?? now;
  const durationMs = Math.max(0, Date.parse(now) - Date.parse(startedAt));
  return { ...omit(step, "feedback", "note"), status: "completed", completedAt: now, durationMs };
}

/** To be done: `rework` what was done before. */
function again(step: StepRecord): StepRecord {
  const isDone =
    step.status === "completed" || step.status === "skipped" || step.status === "rework";
  return { ...step, status: isDone ? "rework" : "pending" };
}

function withReceipts(step: StepRecord, receipts: readonly ValidationReceipt[]): StepRecord {
  const foreign = receipts.find(({ stepName }) => stepName !== step.name);
  if (foreign !== undefined) {
    throw invalid(`receipts has one of step ${foreign.stepName}, the current step is ${step.name}`);
  }
  const ids = receipts.map(({ receiptId }) => receiptId);
  return { ...step, receiptIds: [...step.receiptIds, ...ids] };
}

function idsOf(receipts: readonly ValidationReceipt[]): { readonly receipts?: readonly string[] } {
  return receipts.length === 0 ? {} : { receipts: receipts.map(({ receiptId }) => receiptId) };
}

function defined(details: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(details).filter(([, value]) => value !== undefined));
}

/** What a hook in this state has; one made by hand may not. */
function present<T>(value: T | undefined): T {
  if (value === undefined) throw invalid("the hook has no step, or nothing awaited, in this state");
  return value;
}
