import { type HookFile, isTerminal } from "@quasar/hookfile";
import { TasksError } from "../errors.ts";

/** What a task can be told in its state, in words and as a command. */
export function awaitedOf(hook: HookFile): string {
  const { taskId, state, awaiting, currentStep } = hook;
  if (isTerminal(state)) return `task ${taskId} is ${state}: nothing can be done with it any more`;
  if (awaiting !== undefined) {
    return awaiting.kind === "review"
      ? 'it waits for a review: atlas approve, or atlas reject --feedback "…"'
      : `it waits for a person (${awaiting.kind}): atlas retry, or atlas skip --reason "…"`;
  }
  const at = currentStep === undefined ? "" : ` in step ${currentStep.stepName}`;
  return `it is ${state}${at}: atlas resume`;
}

/** An operation that the task does not wait for; nothing was changed. */
export function notAwaited(hook: HookFile, what: string): TasksError {
  return new TasksError("ERR_NOT_AWAITED", `${what}; ${awaitedOf(hook)}`);
}
