import { createHash } from "node:crypto";
import { promptFor, FRESH, systemPrompt } from "./prompts.ts";
import type { Run } from "../run.ts";
import { ROLES, type TurnPhase } from "../transitions.ts";

/**
 * All that an agent is told in a turn, by whom and where, as a short digest; `""` for an agent that
 * never continues in a session. A session is continued only by whoever would be told the same.
 */
export function instructionsOf({ settings, state }: Run, phase: TurnPhase): string {
  const role = ROLES[phase];
  const { name, capabilities } = settings[role];
  if (!capabilities.resumesSession) return "";
  const told = [
    name,
    settings.workTree,
    systemPrompt(role, {
      projectContext: settings.projectContext,
      runKind: settings.runKind,
      commitStyle: state.commitStyle,
      asks: settings.people !== undefined,
    }),
    promptFor(state, phase, FRESH, settings.runKind),
  ];
  return createHash("sha256").update(JSON.stringify(told)).digest("hex").slice(0, 16);
}

/** The session in which a failed turn can be continued; `""` when there is none. */
export function sessionToResume(run: Run, phase: TurnPhase): string {
  const { turn, turnInstructions } = run.state;
  const digest = instructionsOf(run, phase);
  const isSame = digest !== "" && turnInstructions === digest;
  return isSame && turn?.role === ROLES[phase] ? turn.sessionId : "";
}
