import { type HookFile, isTerminal } from "@quasar/hookfile";
import { TasksError } from "../errors.ts";

interface Awaited {
  readonly words: string;
  /** Commands that the task takes in its state. */
  readonly commands: readonly string[];
}

/** What a task can be told in its state. */
export function awaitedOf({ taskId, state, awaiting, currentStep }: HookFile): Awaited {
  if (isTerminal(state)) {
    const words = `task ${taskId} is ${state}: nothing can be done with it any more`;
    return { words, commands: [] };
  }
  if (awaiting?.kind === "review") {
    return {
      words: "it waits for a review",
      commands: ["atlas approve", 'atlas reject --feedback "…"'],
    };
  }
  if (awaiting !== undefined) {
    const words = `it waits for a person (${awaiting.kind})`;
    return { words, commands: ["atlas retry", 'atlas skip --reason "…"'] };
  }
  const at = currentStep === undefined ? "" : ` in step ${currentStep.stepName}`;
  return { words: `it is ${state}${at}`, commands: ["atlas resume"] };
}

/** An operation that the task does not wait for; nothing was changed. */
export function notAwaited(hook: HookFile, what: string): TasksError {
  const { words, commands } = awaitedOf(hook);
  return new TasksError("ERR_NOT_AWAITED", `${what}; ${words}`, { next: commands });
}
