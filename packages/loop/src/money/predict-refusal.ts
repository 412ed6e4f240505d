import { LOOP } from "../run-kind.ts";
import type { AgentInvoker, AgentRequest, AgentRole } from "@quasar/agents";
import type { PlanItem } from "../resume/describe-resume.ts";
import { tooLittle } from "../ending.ts";
import { type Bounds, isTooLittle, leastAllowance, neededBudget, turnAllowance } from "./money.ts";
import { FRESH, promptFor, systemPrompt } from "../turn/prompts.ts";
import type { CycleState } from "../state.ts";
import type { Step } from "../steps.ts";
import { rolesToCome } from "./to-come.ts";
import { isTurnPhase, ROLES, type TurnPhase } from "../transitions.ts";
import { nextTurnId } from "../turn/turn-id.ts";

/** Who can say what a response may cost. */
export type BoundedAgents = Readonly<Record<AgentRole, Pick<AgentInvoker, "responseBoundUsd">>>;

/**
 * That the turn which is next would not be started, because it may spend less than it has to; `undefined`
 * where it would be, or another step comes first.
 *
 * @param capUsd - The cap on each turn; 0: none.
 */
export function predictRefusal(
  state: CycleState,
  step: Step,
  agents: BoundedAgents,
  capUsd: number,
): PlanItem | undefined {
  const phase = phaseOf(state, step);
  if (phase === undefined) return undefined;
  const role = ROLES[phase];
  const allowanceUsd = turnAllowance(state, role, capUsd);
  const boundUsd = agents[role].responseBoundUsd?.(requestOf(state, phase));
  if (!isTooLittle(allowanceUsd, boundUsd)) return undefined;
  const allowed = { allowanceUsd, leastUsd: leastAllowance(boundUsd), capUsd };
  const { message, neededTurnUsd = 0 } = tooLittle(state, role, allowed);
  const roles = rolesToCome(state, step, LOOP);
  const needed = neededBudget(state, roles, { [role]: boundUsd });
  const neededBudgetUsd = state.maxBudgetUsd > 0 && needed > state.maxBudgetUsd ? needed : 0;
  const data = { check: "allowance", neededBudgetUsd, neededTurnBudgetUsd: neededTurnUsd };
  return { kind: "refused", words: message, data };
}

/** What a response of the next turn of each role may cost. */
export function boundsOf(state: CycleState, agents: BoundedAgents): Bounds {
  return {
    coder: agents.coder.responseBoundUsd?.(requestOf(state, "coding")),
    reviewer: agents.reviewer.responseBoundUsd?.(requestOf(state, "reviewing")),
  };
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

/** What the turn would be asked, as far as its length goes. */
function requestOf(state: CycleState, phase: TurnPhase): AgentRequest {
  const role = ROLES[phase];
  return {
    runId: state.runId,
    turnId: nextTurnId(state),
    role,
    prompt: promptFor(state, phase, FRESH),
    systemPrompt: systemPrompt(role, { commitStyle: state.commitStyle }),
    workTree: "",
    access: role === "coder" ? "write" : "read",
  };
}
