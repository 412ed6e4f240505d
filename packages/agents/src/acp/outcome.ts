import type { AgentFailure, AgentFailureKind, AgentRequest } from "../agent.ts";
import { failureOfExit } from "../agent-process.ts";
import type { ChildOutcome } from "../child.ts";
import { kindOfProse, kindOfStatus, type Prose } from "../classify.ts";
import { failure, NO_SESSION } from "../failure.ts";
import { plainWords } from "../plain-words.ts";
import type { AcpError } from "./event.ts";
import { type AcpReading, MAX_TEXT } from "./reader.ts";

/** Errors of the protocol have codes for few things: words and statuses are what there is. The first that fits decides. */
const PROSE: Prose = [
  [/no response was returned/i, "empty-answer"],
  // Google says of each limit that its plan and billing should be checked; OpenAI says so of credit alone.
  [
    /^(?!.*insufficient.?quota).*(?:resource (?:has been )?exhausted|resource.exhausted|exceeded your current quota)/is,
    "rate-limit",
  ],
  [/quota|billing|credit balance|insufficient.{0,20}(?:funds|credit|balance)/i, "billing"],
  [/rate.?limit|too many requests|usage limit|resource.?exhausted/i, "rate-limit"],
  [
    /authenticat|unauthori[sz]ed|invalid.{0,20}key|key.{0,20}(?:not valid|invalid)|permission.?denied|log ?in\b/i,
    "auth",
  ],
  [
    /context (?:window|length)|maximum context|prompt (?:is|as) too long|too many tokens/i,
    "context-overflow",
  ],
  [/overloaded|high demand|at capacity|unavailable/i, "overloaded"],
  [/safety|content policy|usage policy|prohibited/i, "refusal"],
  [/model.{0,80}not (?:found|supported)|does not exist|unknown model/i, "usage"],
  [/connection|network|socket|fetch failed|ECONN|ENOTFOUND|timed? ?out/i, "network"],
];

const AUTH_REQUIRED = -32000;
const STATUS = /\b(?:HTTP |status:? |code"?:? ?)?([45]\d\d)\b/i;

/** What an error's words and the numbers in them mean. */
function kindOfError({ code, message, data }: Pick<AcpError, "code" | "message" | "data">) {
  if (code === AUTH_REQUIRED) return "auth";
  const said = `${message} ${data === undefined ? "" : JSON.stringify(data)}`;
  const status = code >= 400 && code < 600 ? code : Number(STATUS.exec(said)?.[1]);
  return kindOfProse(PROSE, said) ?? kindOfStatus(status);
}

/** `retry-after: 30`, `"retryDelay":"37s"`, `try again in 2s`. */
const RETRY =
  /(?:retry[-_ ]?(?:after|delay|in)|(?:try again|reset) (?:in|after))["']?[:=]?\s*["']?(\d+(?:\.\d+)?)\s*(ms|s|m|h)?/i;
const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

function retryAtOf(said: string, now: Date): Date | undefined {
  const [, count, unit = "s"] = RETRY.exec(said) ?? [];
  if (count === undefined) return undefined;
  const at = new Date(now.getTime() + Number(count) * (UNITS[unit.toLowerCase()] ?? 0));
  return Number.isNaN(at.getTime()) ? undefined : at;
}

export interface AcpOutcomeOptions {
  readonly title: string;
  /** How an error looks that the agent tells as if it were an answer; the first group is what it says. */
  readonly errorText?: RegExp | undefined;
}

/** A refusal to do one of these means so, where its words mean nothing better. */
const REFUSED: Readonly<Record<string, AgentFailureKind>> = {
  "session/load": "session-missing",
  "session/set_mode": "usage",
  "session/set_model": "usage",
  "session/set_config_option": "usage",
};

const STOP_REASONS: Readonly<Record<string, readonly [kind: AgentFailureKind, what: string]>> = {
  max_tokens: ["context-overflow", "used all the tokens that it may use"],
  max_turn_requests: ["turn-limit", "made all the requests that it may make in a turn"],
  refusal: ["refusal", "refused to continue"],
  cancelled: ["cancelled", "was cancelled"],
};

/**
 * The failure that a turn means by what was said in it.
 *
 * @see SPEC.md, "ACP"
 */
export function failureOfTurn(
  reading: AcpReading,
  request: AgentRequest,
  outcome: ChildOutcome,
  { title, errorText }: AcpOutcomeOptions,
): AgentFailure | undefined {
  const { error, stopReason, text, notice, acted, denials } = reading;
  // "Try again in 30 s" is said of the moment in which the turn ended, whenever it is read.
  const now = outcome.endedAt === undefined ? new Date() : new Date(outcome.endedAt);
  const failed = (kind: AgentFailureKind, said: string): AgentFailure =>
    failure(
      kind,
      `${title}: ${plainWords(said)}`,
      kind === "rate-limit" ? retryAtOf(said, now) : undefined,
    );
  if (error !== undefined) {
    const kind = kindOfError(error) ?? REFUSED[error.method] ?? "unknown";
    return failed(kind, wordsOf(error));
  }
  if (stopReason === undefined) return failureOfStart(reading, request, outcome, title);
  if (stopReason !== "end_turn") {
    const [kind, what] = STOP_REASONS[stopReason] ?? [
      "bad-output",
      `ended its turn with "${stopReason}"`,
    ];
    return failure(kind, `${title} ${what}.`);
  }
  const last = notice ?? (acted ? "" : text);
  const [, said] = errorText?.exec(last) ?? [];
  if (said !== undefined) {
    return failed(kindOfError({ code: 0, message: said }) ?? "unknown", said);
  }
  const isIdle = !acted && denials.length === 0;
  if (text.trim() === "" && (request.role === "reviewer" || isIdle)) {
    return failure("empty-answer", `${title} ended without an answer.`);
  }
  // The missing part of a review may be what speaks against an approval.
  if (request.role === "reviewer" && text.length >= MAX_TEXT) {
    return failure("output-too-large", `${title} wrote a review that is too long to be read.`);
  }
  return undefined;
}

/** Of who could not ask, or may not, nothing is billed. */
const UNBILLED: ReadonlySet<AgentFailureKind> = new Set([
  ...NO_SESSION,
  "auth",
  "billing",
  "rate-limit",
  "usage",
]);

/** Whether the first thing that a turn asked for was refused, and the agent tells of no cost of it. */
export function isRefusal(
  { kind }: AgentFailure,
  { tools, text, beforeUsd = 0, sessionUsd = 0 }: AcpReading,
  { errorText }: AcpOutcomeOptions,
): boolean {
  const saidNothing = text === "" || errorText?.test(text) === true;
  const hasCost = sessionUsd > beforeUsd;
  return UNBILLED.has(kind) && tools === 0 && saidNothing && !hasCost;
}

function wordsOf({ message, data }: AcpError): string {
  const details =
    data === undefined ? "" : ` ${typeof data === "string" ? data : JSON.stringify(data)}`;
  return `${message}${details}`;
}

/** Of a turn whose prompt was not answered. */
function failureOfStart(
  { protocolVersion, loadsSessions, isAsked, isOpen, sessionId }: AcpReading,
  { resumesSession = false }: AgentRequest,
  outcome: ChildOutcome,
  title: string,
): AgentFailure {
  const isIntroduced = protocolVersion !== undefined;
  if (isIntroduced && protocolVersion !== 1) {
    return failure(
      "usage",
      `${title} speaks version ${JSON.stringify(protocolVersion)} of its protocol, not 1.`,
    );
  }
  if (isIntroduced && !isAsked && resumesSession && !loadsSessions) {
    return failure("session-missing", `${title} does not continue in sessions.`);
  }
  if (isOpen && sessionId === undefined) {
    return failure("bad-output", `${title} began a session without an id that can be used.`);
  }
  const exit = failureOfExit(outcome, title);
  if (exit === undefined) return failure("bad-output", `${title} ended before its turn did.`);
  // A program that works in another process exits by itself when that one is killed.
  return isAsked ? failure("killed", exit.message) : exit;
}
