import { createHash } from "node:crypto";
import type { AgentRequest } from "./agent.ts";
import type { AgentScript, ScriptedTurn } from "./agent-script.ts";

/** What the scripted agent's program is given on standard input. */
export interface ScriptedTask {
  readonly turn: ScriptedTurn;
  /** The turn's place in the script; -1 for a prompt that it does not foresee. */
  readonly at: number;
  readonly turnId: string;
  readonly promptSha256: string;
  readonly workTree: string;
  readonly maxCostUsd?: number | undefined;
  readonly model?: string | undefined;
  readonly session?:
    | { readonly dir: string; readonly id?: string | undefined; readonly resumes: boolean }
    | undefined;
}

/** The turn of a script that answers a request. */
export function scriptedTask(script: AgentScript, request: AgentRequest): ScriptedTask {
  const { role, prompt, turnId, workTree, maxCostUsd, sessionId, resumesSession } = request;
  const fits = (turn: ScriptedTurn) =>
    turn.role === role && new RegExp(turn.match ?? "", "s").test(prompt);
  const at = script.turns.findIndex(fits);
  const message = `The script has no turn for this prompt of the ${role}.`;
  return {
    turn: script.turns[at] ?? { role, failure: { kind: "usage", message } },
    at,
    turnId,
    promptSha256: createHash("sha256").update(prompt).digest("hex"),
    workTree,
    maxCostUsd,
    model: script.model,
    session:
      script.sessions === undefined
        ? undefined
        : {
            dir: script.sessions,
            id: sessionId,
            resumes: resumesSession ?? false,
          },
  };
}
