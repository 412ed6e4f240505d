import type { PlanItem } from "../resume/describe-resume.ts";
import { endingOf, neededWords, tooLittle } from "../ending.ts";
import { isTooLittle, leastAllowance, turnAllowance } from "./money.ts";
import { type Asking, budgetToContinue, nextBound } from "./next-turns.ts";
import type { CycleState } from "../state.ts";
import type { Step } from "../steps.ts";
import { isTurnPhase, ROLES, type TurnPhase } from "../transitions.ts";

/**
 * That the turn which is next would not be started, because it may spend less than it has to; `undefined`
 * where it would be, or another step comes first.
 *
 * @param capUsd - The cap on each turn; 0: none.
 */
export function predictRefusal(
  state: CycleState,
  step: Step,
  asking: Asking,
  capUsd: number,
): PlanItem | undefined {
  const phase = phaseOf(state, step);
  if (phase === undefined) return undefined;
  const role = ROLES[phase];
  const allowanceUsd = turnAllowance(state, role, capUsd);
  const boundUsd = nextBound(state, phase, asking);
  if (!isTooLittle(allowanceUsd, boundUsd)) return undefined;
  const allowed = { allowanceUsd, leastUsd: leastAllowance(boundUsd), capUsd };
  const { message, neededTurnUsd = 0, refused } = tooLittle(state, role, allowed);
  const neededBudgetUsd = budgetToContinue(state, asking, refused);
  const data = { check: "allowance", neededBudgetUsd, neededTurnBudgetUsd: neededTurnUsd };
  return { kind: "refused", message, data };
}

/** That all of the budget is spent, and with which one the run continues. */
export function usedUp(state: CycleState, asking: Asking): PlanItem {
  const neededBudgetUsd = budgetToContinue(state, asking);
  const needed = neededWords({ neededBudgetUsd, neededTurnBudgetUsd: 0 });
  const message = `${endingOf("budget", state).message}${needed}`;
  return { kind: "refused", message, data: { check: "budget", neededBudgetUsd } };
}

function phaseOf({ phase }: CycleState, step: Step): TurnPhase | undefined {
  switch (step) {
    case "begin":
    case "fix":
      return "coding";
    case "review":
      return "reviewing";
    case "again":
      return isTurnPhase(phase) ? phase : undefined;
    case "recover":
    case "commit":
    case "lint":
    case "filter":
    case "judge":
    case "approve":
    case "resolve":
      return undefined;
  }
}
