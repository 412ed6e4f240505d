import type { FoundTurn } from "@quasar/agents/turns";
import { LOOP } from "../run-kind.ts";
import type { CycleState } from "../state.ts";
import { nameSession } from "../transitions.ts";
import { givenUp } from "../turn/given-up.ts";
import { failedState, failureOf } from "../turn/settle.ts";
import type { PlanAgents } from "./describe-resume.ts";

/**
 * The state from which a turn that nobody learned the end of is taken again; `undefined` where its end is used or
 * waited for, where a usage limit holds, and where nobody has searched for it.
 */
export function afterRecovery(
  state: CycleState,
  found: FoundTurn | undefined,
  agents: PlanAgents,
): CycleState | undefined {
  const { turn } = state;
  if (turn === undefined || found === undefined || found.state === "alive") return undefined;
  if (found.state !== "ended") {
    return givenUp(state, found, agents[turn.role].responseBoundUsd !== undefined);
  }
  const { result } = found;
  const failure = result && failureOf(result, turn.role, LOOP);
  if (result === undefined || failure === undefined || failure.kind === "rate-limit") {
    return undefined;
  }
  const { sessionId } = result;
  const named = sessionId === undefined ? state : nameSession(state, sessionId);
  return failedState(named, result, failure);
}
