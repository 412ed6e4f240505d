import type { AgentFailure } from "./agent.ts";
import { spentWords } from "./money.ts";
import type { RunPart, TaskResult } from "./options.ts";
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
export function endingOf(
  outcome: Ending["outcome"],
  state: CycleState,
  part: RunPart = "loop",
): Ending {
  if (outcome === "approved") return { outcome, message: DONE[part] };
  return { outcome, message: MESSAGES[outcome]?.(state) ?? `The run ended: ${outcome}.` };
}

const DONE: Readonly<Record<RunPart, string>> = {
  loop: "The reviewer approved the work.",
  coder: "The coder's turn is done.",
  reader: "The agent has answered.",
  reviewer: "The review is done.",
};

const MESSAGES: Readonly<Partial<Record<Ending["outcome"], (state: CycleState) => string>>> = {
  budget: (state) =>
    `Budget exceeded: ${spentWords(state)} / $${state.maxBudgetUsd.toFixed(2)}. Resume with a higher budget to go on.`,
  max_cycles: ({ maxCycles }) =>
    `Max cycles reached (${maxCycles}). Manual review recommended; resume with more cycles to go on.`,
  struggling: () =>
    "The loop goes in circles: the same problems come back. Split the task into smaller ones.",
};
