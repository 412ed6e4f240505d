import type { AgentRequest } from "../agent.ts";
import type { Cost } from "../agent-process.ts";
import type { TurnUse } from "../limits.ts";
import {
  costAt,
  DEAREST,
  MAX_OUTPUT_TOKENS,
  type ModelPrices,
  NO_TOKENS,
  priceOf,
  type ResponseRoom,
  sumOf,
  type Tokens,
  tokensBetween,
} from "../prices.ts";
import { type CodexLedger, type CodexResponse, readCodexLedger } from "./ledger.ts";

/**
 * What a thread has used before a turn, to be asked before the turn begins and kept with it.
 *
 * @returns `undefined` when the thread is to be continued and has no record: its turn's cost will
 *   be unknown.
 */
export function codexTokensBefore(
  codexHome: string,
  { resumesSession, sessionId }: AgentRequest,
): Tokens | undefined {
  if (!resumesSession || sessionId === undefined) {
    return NO_TOKENS;
  }
  const { model, tokens } = readCodexLedger(codexHome, sessionId);
  return tokens ?? (model === undefined ? undefined : NO_TOKENS);
}

export interface CodexCostOptions {
  readonly prices?: ModelPrices | undefined;
  /** What the thread had used before the turn; `undefined` when that is not known. */
  readonly before: Tokens | undefined;
  /** What to take where the record does not say it. */
  readonly model: string;
  /** Tokens that the thread is sent at first, at most. */
  readonly firstPrompt: number;
}

/** What is known of a turn beside its record. */
export interface CodexEnd {
  /** Of the new thread by `turn.completed`, for one without a record. */
  readonly tokens?: Tokens | undefined;
  /** Whether Codex has said that the turn is over. */
  readonly ended: boolean;
  /** Responses that broke off while they came: what they used is unknown. */
  readonly dropped: number;
}

/** What a turn has used by the record of its thread, and of those that it has begun. */
export interface CodexUse extends TurnUse {
  readonly unpricedUsd: number;
  readonly model: string;
  /** `undefined`: there is no record of it. */
  readonly responses: readonly CodexResponse[] | undefined;
}

/** The responses of a thread that a turn has asked for. */
export function responsesOf(
  ledger: CodexLedger,
  { before }: Pick<CodexCostOptions, "before">,
): readonly CodexResponse[] | undefined {
  if (before === undefined || (ledger.tokens === undefined && ledger.model === undefined)) {
    return undefined;
  }
  const had = sumOf(before);
  return ledger.responses.filter(({ total }) => total > had);
}

export function useOf(
  responses: readonly CodexResponse[] | undefined,
  { prices, model }: CodexCostOptions,
): CodexUse {
  let [costUsd, unpricedUsd, unpricedTokens] = [0, 0, 0];
  for (const response of responses ?? []) {
    const price = priceOf(response.model ?? model, prices);
    const usd = costAt(price ?? DEAREST, response.tokens);
    if (price !== undefined) costUsd += usd;
    else
      [unpricedUsd, unpricedTokens] = [unpricedUsd + usd, unpricedTokens + sumOf(response.tokens)];
  }
  const last = responses?.at(-1)?.model ?? model;
  const requests = responses?.length ?? 0;
  return { costUsd, unpricedUsd, unpricedTokens, requests, model: last, responses };
}

/**
 * What a turn cost: what its thread has used by its record, less what it had used before. The total
 * of `turn.completed` forgets the last response of a turn that was killed, so it only counts for a
 * new thread without a record.
 *
 * @see SPEC.md, "Cost of Codex"
 */
export function codexCost(
  use: CodexUse,
  { tokens, ended, dropped }: CodexEnd,
  options: CodexCostOptions,
  boundUsd: number,
): Cost {
  const { before, prices } = options;
  const unrecorded = use.responses === undefined;
  const isNew = before !== undefined && sumOf(before) === 0;
  if (unrecorded && (tokens === undefined || !isNew)) return { costSource: "unknown" };
  const said = unrecorded ? tokensBetween(NO_TOKENS, tokens ?? NO_TOKENS) : NO_TOKENS;
  const price = priceOf(use.model, prices);
  const saidUsd = costAt(price ?? DEAREST, said);
  const costUsd = use.costUsd + (price === undefined ? 0 : saidUsd);
  const missingUsd =
    use.unpricedUsd + (price === undefined ? saidUsd : 0) + (dropped + (ended ? 0 : 1)) * boundUsd;
  if (costUsd === 0 && use.unpricedTokens + (price === undefined ? sumOf(said) : 0) > 0) {
    return { costSource: "unknown", unknownUsd: missingUsd };
  }
  if (!ended || missingUsd > 0) return { costUsd, costSource: "partial", unknownUsd: missingUsd };
  return { costUsd, costSource: "computed" };
}

/** Where a thread stands when a response is asked of it. */
export interface CodexAsked {
  /** The last response of the thread, whichever turn asked for it. */
  readonly last: CodexResponse | undefined;
  /** Whether this turn had a response already: what it is told is in that. */
  readonly hasAsked: boolean;
}

/**
 * What a thread's next response may have at most, if it keeps to {@link MAX_OUTPUT_TOKENS}.
 *
 * @param sent - Tokens that it is sent beside what the last one was.
 */
export function codexRoom(
  { last, hasAsked }: CodexAsked,
  { firstPrompt }: Pick<CodexCostOptions, "firstPrompt">,
  sent: number = 0,
): ResponseRoom {
  const before = last === undefined ? 0 : sumOf(last.tokens);
  // Codex cannot be told how long a response may be: what other agents are told is taken for it.
  return {
    promptTokens: before + (hasAsked ? 0 : firstPrompt) + sent,
    maxOutput: MAX_OUTPUT_TOKENS,
  };
}
