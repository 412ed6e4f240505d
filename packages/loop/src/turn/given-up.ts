import type { FoundTurn } from "@quasar/agents/turns";
import { settledCost, unlearnedCost } from "../money/money.ts";
import type { CycleState } from "../state.ts";
import { failTurn, nameSession, rollBackUnstartedTurn } from "../transitions.ts";

/**
 * The state in which a turn that nobody learns the end of is to be taken again, and what it has cost counts.
 *
 * @param isBounded - Whether its agent knows a bound of a response.
 */
export function givenUp(state: CycleState, found: FoundTurn, isBounded: boolean): CycleState {
  if (found.state === "not-started") return rollBackUnstartedTurn(state);
  if (found.state !== "died") {
    const unknown = unlearnedCost(state.turn, isBounded);
    return failTurn(state, unknown, "interrupted: how it ended is not known", "lost");
  }
  const { sessionId } = found;
  const known = settledCost(found, state.turn?.reservedUsd ?? 0);
  const named = sessionId === undefined ? state : nameSession(state, sessionId);
  return failTurn(named, known, "interrupted: its agent was killed", "lost");
}
