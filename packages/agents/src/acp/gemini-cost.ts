import type { AgentRequest } from "../agent.ts";
import { type Cost, OWN_PROMPT_TOKENS } from "../agent-process.ts";
import {
  boundAt,
  costAt,
  DEAREST,
  type ModelPrices,
  priceOf,
  promptOf,
  sumOf,
  type Tokens,
} from "../prices.ts";
import type { ModelUse } from "./cost.ts";
import { type GeminiRecord, readGeminiRecord } from "./gemini-record.ts";

/** Whether a model is chosen for each turn, by another one. */
export const isRouted = (model: string = "auto"): boolean => model.startsWith("auto");

/** What is kept with a turn of Gemini CLI. */
export interface GeminiBefore {
  /** Responses that its session had on record; `undefined`: it is to be continued and has no record. */
  readonly responses?: number | undefined;
  /** Tokens that its first request is sent beside what was said before, at most. */
  readonly firstPrompt: number;
}

/** To be asked before a turn begins, and kept with it. */
export function geminiBefore(
  records: string,
  { resumesSession = false, sessionId = "" }: AgentRequest,
  prompt: string,
): GeminiBefore {
  const firstPrompt = OWN_PROMPT_TOKENS + Buffer.byteLength(prompt);
  if (!resumesSession) return { responses: 0, firstPrompt };
  return { responses: readGeminiRecord(records, sessionId)?.responses.length, firstPrompt };
}

/** What is known of a turn beside its record. */
export interface GeminiEnd {
  readonly before: GeminiBefore | undefined;
  /** Whether it was answered, as well as it could be. */
  readonly isComplete: boolean;
  /** Whether Gemini CLI chose the model, and asked another one which to take. */
  readonly isRouted: boolean;
  /** What the answer to the prompt says of tokens, without those of thinking. */
  readonly uses: readonly ModelUse[];
}

/** How often it asks where an answer is of no use: what it threw away is on no record. */
const ATTEMPTS = 4;
/** What it lets the model answer that chooses one. */
const ROUTER_OUTPUT = 1024;

/**
 * What a turn cost, by its session's record. Without one, or with one that says less than the agent did, that is the least.
 *
 * @param said - By what the agent said.
 * @see SPEC.md, "Cost of Gemini CLI"
 */
export function geminiCost(
  record: GeminiRecord | undefined,
  end: GeminiEnd,
  said: Cost,
  prices: ModelPrices | undefined,
): Cost {
  const recorded = record && costByRecord(record, end, prices);
  if (recorded !== undefined) return recorded;
  return said.costSource === "computed" ? { ...said, costSource: "partial" } : said;
}

function costByRecord(
  record: GeminiRecord,
  { before, isComplete, isRouted: wasRouted, uses }: GeminiEnd,
  prices: ModelPrices | undefined,
): Cost | undefined {
  if (before?.responses === undefined) return undefined;
  const responses = record.responses.slice(before.responses);
  // What was thrown away is among what the agent says, and on no record.
  if (record.isAnswered && sentIn(responses) < sentIn(uses)) return undefined;
  let [costUsd, missingUsd] = [0, 0];
  for (const { model, tokens } of responses) {
    const price = priceOf(model, prices);
    if (price === undefined) missingUsd += costAt(DEAREST, tokens);
    else costUsd += costAt(price, tokens);
  }
  const last = record.responses.at(-1);
  const model = last?.model ?? uses[0]?.model;
  // Of a model that nothing was heard of yet, no bound says more than the turn's reservation.
  if (model === undefined) return undefined;
  const price = priceOf(model, prices) ?? DEAREST;
  const { firstPrompt } = before;
  const had = (last === undefined ? 0 : sumOf(last.tokens)) + record.bytesSince;
  const promptTokens = had + (responses.length === 0 ? firstPrompt : 0);
  missingUsd +=
    unrecorded(isComplete, record) * boundAt(price, { promptTokens, maxOutput: price.maxOutput });
  if (wasRouted) {
    missingUsd += boundAt(price, { promptTokens: firstPrompt, maxOutput: ROUTER_OUTPUT });
  }
  if (missingUsd === 0) return { costUsd, costSource: "computed" };
  if (costUsd === 0) return { costSource: "unknown", unknownUsd: missingUsd };
  return { costUsd, costSource: "partial", unknownUsd: missingUsd };
}

/** Tokens that models were sent. */
const sentIn = (uses: readonly { readonly tokens: Tokens }[]): number =>
  uses.reduce((sum, { tokens }) => sum + promptOf(tokens), 0);

/** How many responses there may have been that are on no record, at most. */
function unrecorded(isComplete: boolean, { isAnswered }: GeminiRecord): number {
  if (!isComplete) return 1;
  return isAnswered ? 0 : ATTEMPTS;
}
