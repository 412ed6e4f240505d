import type { AgentFailure, AgentFailureKind } from "../agent.ts";
import { kindOfProse, kindOfStatus, type Prose } from "../classify.ts";
import { failure } from "../failure.ts";
import type { OpencodeError } from "./event.ts";

/** OpenCode's own names of what went wrong. */
const NAMES: Readonly<Record<string, AgentFailureKind>> = {
  ContextOverflowError: "context-overflow",
  ProviderAuthError: "auth",
  MessageAbortedError: "cancelled",
};

/** What a status does not tell, or tells wrong (a lack of credit is a 400). */
const PROSE: Prose = [
  [/credit balance|billing|insufficient.quota|quota.exceeded/i, "billing"],
  [/prompt is too long|context window/i, "context-overflow"],
  [/usage policy|safeguards flagged|content.?filter/i, "refusal"],
];

const PROSE_WITHOUT_STATUS: Prose = [
  [/api key|unauthorized|not logged in|credential/i, "auth"],
  [/rate.limit|too many requests/i, "rate-limit"],
  [/overloaded|unavailable|at capacity/i, "overloaded"],
  [/connect|network|socket|fetch failed|terminated|timed? ?out|ECONN/i, "network"],
  [/model.{0,80}(not found|not supported)/i, "usage"],
];

/** What OpenCode prints on standard error when it never begins. */
const STDERR: Prose = [
  [/session not found/i, "session-missing"],
  [/unknown argument|configuration is invalid|invalid (json|config)/i, "usage"],
];

export const kindOfStderr = (text: string): AgentFailureKind | undefined =>
  kindOfProse(STDERR, text);

/** All that it says of a model or a provider that it does not know, or has no key for. */
const OPAQUE = /^Unexpected server error/;
const HINT =
  " It says so where it does not know the model, or has no key for it: see opencode models.";

function kindOfError({ name, message, statusCode, isRetryable }: OpencodeError): AgentFailureKind {
  return (
    (Object.hasOwn(NAMES, name) ? NAMES[name] : undefined) ??
    kindOfProse(PROSE, message) ??
    (statusCode === undefined ? undefined : kindOfStatus(statusCode)) ??
    kindOfProse(PROSE_WITHOUT_STATUS, message) ??
    (isRetryable ? "network" : "unknown")
  );
}

/** The failure that an error means. @param at - When it was said. @see SPEC.md, "Failures of OpenCode" */
export function failureOfError(error: OpencodeError, at: Date): AgentFailure {
  const kind = kindOfError(error);
  const said = error.message || error.name || "failed without a word";
  const message = `OpenCode: ${said}${OPAQUE.test(said) ? HINT : ""}`;
  return failure(kind, message, kind === "rate-limit" ? retryAtOf(error.headers, at) : undefined);
}

/** When a limit is lifted, by HTTP's own header: seconds, or a date. */
export function retryAtOf(headers: OpencodeError["headers"], at: Date): Date | undefined {
  const [ms, after = ""] = [
    Number(headers["retry-after-ms"] ?? Number.NaN),
    headers["retry-after"],
  ];
  if (ms >= 0) return dateOf(at.getTime() + ms);
  if (after.trim() === "") return undefined;
  const seconds = Number(after);
  return dateOf(seconds >= 0 ? at.getTime() + 1000 * seconds : Date.parse(after));
}

function dateOf(ms: number): Date | undefined {
  const date = new Date(ms);
  return Number.isNaN(date.getTime()) ? undefined : date;
}
