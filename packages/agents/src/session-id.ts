import type { AgentFailure, AgentRequest } from "./agent.ts";
import { failure } from "./failure.ts";

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Whether it is an id that an agent gives, fit to be a part of a path. */
export const isSessionId = (text: string): boolean => UUID.test(text);

/**
 * Why a session cannot be continued, whatever the agent would do: Claude Code takes other words for
 * a session's title, and Codex begins a new thread for them without saying so.
 */
export function failureOfSessionId(request: AgentRequest): AgentFailure | undefined {
  const { resumesSession, sessionId = "" } = request;
  return resumesSession && !isSessionId(sessionId)
    ? failure("session-missing", `There is no session "${sessionId}".`)
    : undefined;
}
