import { type HookFile, isTerminal } from "@quasar/hookfile";
import { TasksError } from "../errors.ts";
import { decisionsOf } from "./decisions.ts";

/** An operation that the task does not wait for; nothing was changed. */
export function notAwaited(hook: HookFile, what: string): TasksError {
  const decisions = decisionsOf(hook);
  return new TasksError("ERR_NOT_AWAITED", `${what}; ${stateInWords(hook)}`, { decisions });
}

function stateInWords({ taskId, state, awaiting, currentStep }: HookFile): string {
  if (isTerminal(state)) return `task ${taskId} is ${state}: nothing can be done with it any more`;
  if (awaiting?.kind === "review") return "it waits for a review";
  if (awaiting !== undefined) return `it waits for a person (${awaiting.kind})`;
  return `it is ${state}${currentStep === undefined ? "" : ` in step ${currentStep.stepName}`}`;
}
