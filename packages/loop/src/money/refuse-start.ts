import type { AgentRole } from "@quasar/agents";
import { createCheckpoint } from "@quasar/checkpoint";
import { stateFromCheckpoint } from "../convert.ts";
import type { CycleState } from "../state.ts";
import { DEFAULT_MAX_BUDGET_USD } from "../settings.ts";
import {
  budgetFor,
  dollarsNeeded,
  isTooLittle,
  leastAllowance,
  neededBudget,
  turnAllowance,
  upToCent,
} from "./money.ts";
import { type Asking, boundsOf } from "./next-turns.ts";

/** Why the first turns of a run would not be started, and with what they are. */
export interface StartRefusal {
  /** A sentence for a person. */
  readonly message: string;
  readonly role: AgentRole;
  /** US dollars, with which the coder's turn and the review after it can begin; 0 where the budget is enough. */
  readonly neededBudgetUsd: number;
  /** US dollars; 0 where the cap on turns is enough, or there is none. */
  readonly neededTurnBudgetUsd: number;
}

/** What a run is going to begin with. */
export interface Beginning extends Asking {
  readonly runId: string;
  readonly task: string;
  /** What the coder is told to leave alone. @default none */
  readonly untouchablePaths?: readonly string[] | undefined;
  /** @default as the loop's */
  readonly maxBudgetUsd?: number | undefined;
  /** @default 0 */
  readonly maxTurnBudgetUsd?: number | undefined;
}

/**
 * Whether the coder or the reviewer would stop a run at its first turn because it may spend too little, as far as
 * that is known before it begins: either may need no more than what a tenth of the budget leaves, which is kept for
 * the other.
 */
export function refuseStart(beginning: Beginning): StartRefusal | undefined {
  const { maxBudgetUsd = DEFAULT_MAX_BUDGET_USD, maxTurnBudgetUsd = 0 } = beginning;
  const state = stateOf(beginning, maxBudgetUsd);
  const bounds = boundsOf(state, beginning);
  const shortOf = (capUsd: number): AgentRole | undefined => {
    const allowanceUsd = turnAllowance(state, "coder", capUsd);
    return ROLE_ORDER.find((each) => isTooLittle(allowanceUsd, bounds[each]));
  };
  const role = shortOf(maxTurnBudgetUsd);
  if (role === undefined) return undefined;
  const leastUsd = leastAllowance(bounds[role]);
  const mostUsd = Math.max(...ROLE_ORDER.map((each) => leastAllowance(bounds[each])));
  const neededUsd = Math.max(budgetFor(mostUsd), firstCycleBudget(beginning));
  return {
    message: `The ${role}'s first turn needs at least ${dollarsNeeded(leastUsd)}: two of its model's longest responses (docs/trust.md, Money).`,
    role,
    neededBudgetUsd: shortOf(0) === undefined ? 0 : neededUsd,
    neededTurnBudgetUsd: maxTurnBudgetUsd > 0 && mostUsd > maxTurnBudgetUsd ? upToCent(mostUsd) : 0,
  };
}

/** The budget with which the first cycle of a run gets through, in US dollars, rounded up to the cent. */
export function firstCycleBudget(beginning: Omit<Beginning, "maxBudgetUsd">): number {
  const state = stateOf(beginning, 0);
  return neededBudget(state, ROLE_ORDER, boundsOf(state, beginning));
}

function stateOf(
  { runId, task, untouchablePaths = [] }: Beginning,
  maxBudgetUsd: number,
): CycleState {
  return stateFromCheckpoint(
    createCheckpoint({
      runId,
      taskBeadId: `task-${runId}`,
      taskTitle: task,
      phase: "bead_created",
      maxBudgetUsd,
      // Nothing is known of what its turns cost.
      maxCycles: 1,
      untouchablePaths,
      commitStyle: LONGEST_STYLE,
    }),
  );
}

const ROLE_ORDER = ["coder", "reviewer"] as const;

/** Of what is asked of coders that do not name their commits as the original's: nothing is longer. */
const LONGEST_STYLE = "conventional";
