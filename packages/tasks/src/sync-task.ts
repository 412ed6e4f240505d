import { isDeepStrictEqual } from "node:util";
import { type HookFile, isTerminal, nextStep, type StepRecord } from "@quasar/hookfile";
import type { StepResult, StepStatus, TaskRecord, TaskStatus, TaskStep } from "./task-record.ts";

/**
 * The record as the hook file has it: status, steps, current step, and a transition where the status has
 * changed. The same record where nothing has.
 *
 * @see SPEC.md, "task.json"
 */
export function syncTask(record: TaskRecord, hook: HookFile): TaskRecord {
  const status = statusOf(record, hook);
  const synced: TaskRecord = {
    ...record,
    status,
    currentStep: currentStepOf(hook),
    steps: hook.steps.map((step) => stepOf(step, hook)),
    transitions: [...record.transitions, ...transitionTo(status, record, hook)],
  };
  return isDeepStrictEqual(synced, record) ? record : { ...synced, updatedAt: hook.updatedAt };
}

/** The record with what came of an attempt, in the place of what was recorded of the same attempt. */
export function withResult(record: TaskRecord, result: StepResult): TaskRecord {
  const { stepIndex, attempt } = result;
  const others = record.stepResults.filter(
    (other) => other.stepIndex !== stepIndex || other.attempt !== attempt,
  );
  return { ...record, stepResults: [...others, result], updatedAt: result.completedAt };
}

function statusOf(record: TaskRecord, hook: HookFile): TaskStatus {
  switch (hook.state) {
    case "initializing":
      return "pending";
    case "step_pending":
      return hook.steps.some(({ attempts, status }) => attempts > 0 || status !== "pending")
        ? "running"
        : "pending";
    case "step_running":
    case "recovering":
      return "running";
    case "step_validating":
      return "validating";
    case "awaiting_human":
      return awaitingStatus(record, hook);
    case "completed":
      return "completed";
    case "failed":
      return hook.history.at(-1)?.details?.["kind"] === "rejected" ? "rejected" : "failed";
    case "abandoned":
      return "abandoned";
  }
}

function awaitingStatus(record: TaskRecord, hook: HookFile): TaskStatus {
  switch (hook.awaiting?.kind) {
    case "review":
      return "awaiting_approval";
    case "git":
      return "gh_failed";
    case "ci":
      return hasTimedOut(record, hook) ? "ci_timeout" : "ci_failed";
    case "validation":
    case "attempts":
      return "validation_failed";
    case "interrupted":
    case undefined:
      return "interrupted";
  }
}

/** A result says so of itself: `metadata.timed_out`. */
function hasTimedOut({ stepResults }: TaskRecord, hook: HookFile): boolean {
  const index = currentStepOf(hook);
  const last = stepResults.findLast(({ stepIndex }) => stepIndex === index);
  return last?.metadata["timed_out"] === true;
}

function currentStepOf(hook: HookFile): number {
  const next = nextStep(hook);
  const upcoming = next === undefined ? hook.steps.length : hook.steps.indexOf(next);
  return hook.currentStep?.stepIndex ?? upcoming;
}

const STATUS: Readonly<Record<StepRecord["status"], StepStatus>> = {
  pending: "pending",
  running: "running",
  completed: "success",
  skipped: "skipped",
  failed: "failed",
  rework: "pending",
};

function stepOf(step: StepRecord, hook: HookFile): TaskStep {
  const { name, type, attempts, startedAt, completedAt } = step;
  const isReviewed = hook.awaiting?.kind === "review" && hook.currentStep?.stepName === name;
  return {
    name,
    type,
    status: isReviewed ? "awaiting_approval" : STATUS[step.status],
    ...(startedAt !== undefined && { startedAt }),
    ...(completedAt !== undefined && { completedAt }),
    attempts,
  };
}

function transitionTo(
  toStatus: TaskStatus,
  { status: fromStatus }: TaskRecord,
  { history, updatedAt, state, awaiting }: HookFile,
): TaskRecord["transitions"] {
  if (toStatus === fromStatus) return [];
  const event = history.findLast((event) => event.toState === state);
  const said = event?.details?.["reason"];
  const reason = awaiting?.reason ?? (isTerminal(state) && typeof said === "string" ? said : "");
  const trigger = event?.trigger ?? state;
  return [
    {
      fromStatus,
      toStatus,
      timestamp: event?.timestamp ?? updatedAt,
      reason: reason === "" ? trigger : `${trigger}: ${beginning(reason)}`,
    },
  ];
}

/** In code units: the hook file takes longer texts, and has the whole of it. */
const LONGEST_REASON = 4_000;

function beginning(text: string): string {
  return text.slice(0, LONGEST_REASON).toWellFormed();
}
