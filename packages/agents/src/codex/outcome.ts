import type { AgentFailure } from "../agent.ts";
import { kindOfProse, type Prose } from "../classify.ts";
import { failure } from "../failure.ts";
import { retryAtOf } from "./retry-at.ts";

/** Codex has no error codes: its sentences are what there is. The first row that fits decides. */
const PROSE: Prose = [
  [/already has an active writer/i, "session-busy"],
  [/no (rollout|session|thread|conversation).{0,20}found/i, "session-missing"],
  [/usage policy|invalid_prompt/i, "refusal"],
  [/quota|billing|credit balance/i, "billing"],
  [/usage limit|rate limit|status:? 429|too many requests/i, "rate-limit"],
  [/ran out of room|context window/i, "context-overflow"],
  [/input_too_large|exceeds the maximum length/i, "prompt-too-large"],
  [/\b401\b|\b403\b|unauthorized|missing environment variable|not logged in|codex login/i, "auth"],
  [/at capacity|high demand|overloaded|\b50\d\b|\b529\b|server error/i, "overloaded"],
  [/stream (disconnected|closed)|error sending request|connection|network|timed? ?out/i, "network"],
  [
    /not inside a trusted directory|unexpected argument|invalid value|error loading config/i,
    "usage",
  ],
  [/\b404\b|does not exist|model.{0,80}not (found|supported)/i, "usage"],
];

/** What standard error says of why Codex never began: beside warnings, one line of an error. */
export const wordsOfStderr = (text: string): string =>
  text.split("\n").findLast((line) => line.startsWith("Error:")) ?? text;

/**
 * The failure that Codex's words mean; `undefined` when they mean none that is known.
 *
 * @see SPEC.md, "Failures of Codex"
 */
export function failureOfWords(said: string, now: Date): AgentFailure | undefined {
  const kind = kindOfProse(PROSE, said);
  return (
    kind &&
    failure(kind, `Codex: ${said}`, kind === "rate-limit" ? retryAtOf(said, now) : undefined)
  );
}
