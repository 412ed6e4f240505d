import type { AgentFailure } from "./agent.ts";
import { spentWords } from "./money.ts";
import type { TaskResult } from "./options.ts";
import type { CycleState } from "./state.ts";

/** How a run ends. */
export interface Ending {
  readonly outcome: TaskResult["outcome"];
  /** One or two sentences for a person. */
  readonly message: string;
  readonly agentFailure?: AgentFailure | undefined;
}

export const INTERRUPTED: Ending = {
  outcome: "interrupted",
  message: "Interrupted. The run can be resumed.",
};

/** The words for an end that follows from the state alone. */
export function endingOf(outcome: Ending["outcome"], state: CycleState): Ending {
  return { outcome, message: MESSAGES[outcome]?.(state) ?? `The run ended: ${outcome}.` };
}

const MESSAGES: Readonly<Partial<Record<Ending["outcome"], (state: CycleState) => string>>> = {
  approved: () => "The reviewer approved the work.",
  budget: (state) =>
    `Budget exceeded: ${spentWords(state)} / $${state.maxBudgetUsd.toFixed(2)}. Resume with a higher budget to go on.`,
  max_cycles: ({ maxCycles }) =>
    `Max cycles reached (${maxCycles}). Manual review recommended; resume with more cycles to go on.`,
  struggling: () =>
    "The loop goes in circles: the same problems come back. Split the task into smaller ones.",
};
