import type { AgentFailure } from "./agent.ts";
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
  return { outcome, message: messageFor(outcome, state) };
}

function messageFor(outcome: Ending["outcome"], state: CycleState): string {
  const { totalCostUsd, maxBudgetUsd, maxCycles } = state;
  switch (outcome) {
    case "budget": {
      const amounts = `$${totalCostUsd.toFixed(4)} / $${maxBudgetUsd.toFixed(2)}`;
      return `Budget exceeded: ${amounts}. Resume with a higher budget to go on.`;
    }
    case "max_cycles":
      return `Max cycles reached (${maxCycles}). Manual review recommended; resume with more cycles to go on.`;
    case "struggling":
      return "The loop goes in circles: the same problems come back. Split the task into smaller ones.";
    case "approved":
      return "The reviewer approved the work.";
    default:
      return `The run ended: ${outcome}.`;
  }
}
