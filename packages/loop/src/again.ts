import type { AgentRole } from "./agent.ts";
import { messageOf } from "./emitter.ts";
import { keepWork } from "./keep-work.ts";
import type { Run } from "./run.ts";
import { sessionToResume } from "./session.ts";
import type { TurnFailure } from "./settle.ts";
import { isTurnPhase, ROLES, type TurnPhase } from "./transitions.ts";
import { nextTurnId, takeTurn } from "./turn.ts";

/**
 * Takes a turn again that came to nothing: in its own session where that can be, else anew. Its agent
 * gets ready while git is asked.
 */
export async function takeTurnAgain(run: Run): Promise<TurnFailure> {
  const { phase } = run.state;
  if (!isTurnPhase(phase)) return undefined;
  const letGo = await getReady(run, ROLES[phase]);
  try {
    return await takeAgain(run, phase);
  } finally {
    letGo();
  }
}

async function getReady(run: Run, role: AgentRole): Promise<() => void> {
  const { settings, state } = run;
  try {
    const turn = { runId: state.runId, turnId: nextTurnId(state) };
    return settings[role].getReady?.(turn) ?? nothing;
  } catch (error) {
    await run.warn(`the ${role}'s agent could not get ready: ${messageOf(error)}`);
    return nothing;
  }
}

const nothing = (): void => {};

async function takeAgain(run: Run, phase: TurnPhase): Promise<TurnFailure> {
  const { turn, cycle } = run.state;
  const role = ROLES[phase];
  const writes = role === "coder" && run.part !== "reader";
  const tree = writes ? await keepWork(run) : "unknown";
  if (typeof tree === "object") return tree;
  const sessionId = sessionToResume(run, phase);
  const how = sessionId === "" ? "restarted" : "resumed";
  await run.emit({ type: "turn_recovered", cycle, role, turnId: turn?.id ?? "", how });
  return takeTurn(run, phase, { attempt: (turn?.attempt ?? 0) + 1, sessionId, tree });
}
