import type { AgentFailure, AgentFailureKind } from "./agent.ts";
import { cleanLine } from "./clean.ts";

/** Whether the same request may succeed later without anybody changing anything. */
const RETRYABLE: Readonly<Record<AgentFailureKind, boolean>> = {
  auth: false,
  billing: false,
  "rate-limit": true,
  overloaded: true,
  "context-overflow": false,
  "prompt-too-large": false,
  budget: false,
  "turn-limit": false,
  "refused-permissions": false,
  refusal: false,
  schema: true,
  "empty-answer": true,
  "session-missing": false,
  "session-busy": true,
  network: true,
  "timeout-idle": true,
  "timeout-total": false,
  cancelled: true,
  killed: true,
  "bad-output": true,
  "output-too-large": false,
  "not-installed": false,
  usage: false,
  unknown: false,
};

/** All kinds there are. */
export const FAILURE_KINDS: readonly AgentFailureKind[] = Object.keys(
  RETRYABLE,
) as AgentFailureKind[];

/** An agent that ended so could not continue in its session: it asked for nothing. */
export const NO_SESSION: ReadonlySet<AgentFailureKind> = new Set([
  "session-missing",
  "session-busy",
]);

/**
 * A failure of the kind; the message is cleaned, so hostile text may be put in.
 *
 * @param retryAt - when a limit is lifted.
 */
export function failure(kind: AgentFailureKind, message: string, retryAt?: Date): AgentFailure {
  return {
    kind,
    message: cleanLine(message),
    retryable: RETRYABLE[kind],
    ...(retryAt && { retryAt: retryAt.toISOString() }),
  };
}
