import type { AgentFailure, AgentRequest } from "../agent.ts";
import { failure } from "../failure.ts";

const ID = /^ses_[0-9A-Za-z]{8,64}$/;

/** Whether it is an id that OpenCode gives, and no option. */
export const isOpencodeSession = (text: string): boolean => ID.test(text);

/** Why a session cannot be continued, whatever OpenCode would do. */
export function failureOfOpencodeSession(request: AgentRequest): AgentFailure | undefined {
  const { resumesSession, sessionId = "" } = request;
  return resumesSession === true && !isOpencodeSession(sessionId)
    ? failure("session-missing", `There is no session "${sessionId}".`)
    : undefined;
}
