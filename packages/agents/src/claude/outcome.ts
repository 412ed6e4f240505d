import type { AgentFailure, AgentFailureKind, AgentRequest } from "../agent.ts";
import { kindOfProse, kindOfStatus, type Prose } from "../classify.ts";
import { failure } from "../failure.ts";
import type { ClaudeResult } from "./event.ts";

/** What a run showed beside its result. */
export interface ClaudeTrace {
  /** When a limit is lifted. */
  readonly resetsAt?: Date | undefined;
  /** Whether any tool succeeded. */
  readonly acted: boolean;
}

const SUBTYPES: Readonly<Record<string, AgentFailureKind>> = {
  error_max_turns: "turn-limit",
  error_max_budget_usd: "budget",
  error_max_structured_output_retries: "schema",
};

const TERMINAL_REASONS: Readonly<Record<string, AgentFailureKind>> = {
  aborted_tools: "cancelled",
  aborted_streaming: "cancelled",
  budget_exhausted: "budget",
  prompt_too_long: "context-overflow",
  blocking_limit: "prompt-too-large",
};

/** What a status does not tell, or tells wrong (a lack of credit is a 400). */
const PROSE: Prose = [
  [/credit balance|billing|quota/i, "billing"],
  [/prompt is too long|context window/i, "context-overflow"],
];

const PROSE_WITHOUT_STATUS: Prose = [
  [/not logged in|invalid api key|\/login\b/i, "auth"],
  [/usage limit|rate.limit|hit your .{0,30}limit/i, "rate-limit"],
  [/overloaded/i, "overloaded"],
  [/malformed response/i, "bad-output"],
  [/connection|network|socket|timed? ?out/i, "network"],
];

/** What is said of a session, on standard error or in a result that comes before any turn. */
const SESSION: Prose = [
  [/already in use/i, "session-busy"],
  [/no conversation found|requires a valid session id/i, "session-missing"],
];

/** What Claude Code prints on standard error when it never begins. */
export const STDERR: Prose = [
  ...SESSION,
  [/exceeds 10 ?MB/i, "prompt-too-large"],
  [/not logged in|invalid api key|\/login\b/i, "auth"],
  [/unknown option|invalid (value|argument)|requires --|cannot be used/i, "usage"],
];

/** The model, or a filter before it, does not answer: it would not in the same conversation either. */
const REFUSAL = /safeguards flagged|usage policy/i;

function kindOfError(result: ClaudeResult, said: string, prose: Prose): AgentFailureKind {
  if (result.stop_reason === "refusal" || REFUSAL.test(said)) return "refusal";
  const { subtype, terminal_reason, api_error, api_error_status, num_turns, errors } = result;
  return (
    (num_turns === 0 ? kindOfProse(SESSION, errors.map(String).join(" ")) : undefined) ??
    SUBTYPES[subtype] ??
    TERMINAL_REASONS[terminal_reason] ??
    kindOfProse([...prose, ...PROSE], said) ??
    (api_error_status ? kindOfStatus(api_error_status) : undefined) ??
    kindOfProse(PROSE_WITHOUT_STATUS, `${api_error} ${said}`) ??
    "unknown"
  );
}

/**
 * The failure that a result means, by its keys: neither `subtype: "success"` nor exit code 0 says
 * that anything has succeeded.
 *
 * @param dialect - Of the program that says it.
 * @see SPEC.md, "Failures of Claude Code"
 */
export function failureOfResult(
  result: ClaudeResult,
  request: AgentRequest,
  { resetsAt, acted }: ClaudeTrace,
  { title, said: prose }: { readonly title: string; readonly said: Prose },
): AgentFailure | undefined {
  const said = [result.result, ...result.errors.map(String)].filter(Boolean).join(" ");
  if (result.is_error || result.subtype !== "success") {
    const kind = kindOfError(result, said, prose);
    const message = `${title}: ${said || result.subtype || "failed without a word"}`;
    return failure(kind, message, kind === "rate-limit" ? resetsAt : undefined);
  }
  if (result.stop_reason === "refusal") {
    return failure("refusal", `${title}: ${said || "the model refused to answer"}`);
  }
  if (result.stop_reason === "model_context_window_exceeded") {
    return failure("context-overflow", `${title} ran out of room in the model's context window.`);
  }
  if (request.outputSchema && result.structured_output === undefined) {
    return failure("schema", `${title} did not answer in the form that was asked for.`);
  }
  const isSilent = result.result.trim() === "" && result.structured_output === undefined;
  const isIdle = !acted && result.permission_denials.length === 0;
  if (isSilent && (request.role === "reviewer" || isIdle)) {
    return failure("empty-answer", `${title} ended without an answer.`);
  }
  return undefined;
}
