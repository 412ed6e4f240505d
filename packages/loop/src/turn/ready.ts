import type { AgentRole } from "@quasar/agents";
import { messageOf } from "../emitter.ts";
import type { Run } from "../run.ts";
import { nextTurnId } from "./turn-id.ts";

/** Has the agent of a role get ready for the turn that comes next, once. */
export async function getReady(run: Run, role: AgentRole): Promise<void> {
  const { settings, state } = run;
  const turn = { runId: state.runId, turnId: nextTurnId(state), turnsDir: settings.turnsDir };
  if (run.ready?.turnId === turn.turnId) return;
  letGo(run);
  try {
    const unready = settings[role].getReady?.(turn);
    if (unready !== undefined) run.ready = { turnId: turn.turnId, letGo: unready };
  } catch (error) {
    await run.warn(`the ${role}'s agent could not get ready: ${messageOf(error)}`);
  }
}

/** Lets go of what was got ready, if it was not used. */
export function letGo(run: Run): void {
  const { ready } = run;
  run.ready = undefined;
  ready?.letGo();
}
