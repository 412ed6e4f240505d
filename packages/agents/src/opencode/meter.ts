import type { Cost } from "../agent-process.ts";
import type { TurnUse } from "../limits.ts";
import {
  boundAt,
  costAt,
  DEAREST,
  type ModelPrices,
  type ResponseRoom,
  sumOf,
  type Tokens,
} from "../prices.ts";
import { opencodePrice, ownOpencodePrice } from "./models.ts";

export interface OpencodeMeterOptions {
  /** As `provider/model`; `undefined`: unknown. */
  readonly model?: string | undefined;
  readonly prices?: ModelPrices | undefined;
  /** Tokens that a response may have, as OpenCode was told. */
  readonly maxOutput: number;
  /** Tokens that the turn's first request sends, at most. */
  readonly firstPrompt: number;
}

/**
 * Counts what a turn has cost so far, from its stream: OpenCode says what a response has used when the response is
 * whole and its tools have ended.
 */
export interface OpencodeMeter {
  readonly options: OpencodeMeterOptions;
  /** A response is streamed. One before it that was not whole was dropped. */
  start(): void;
  /** It is whole. @param costUsd - By OpenCode; 0 where it knows no price. */
  finish(tokens: Tokens, costUsd: number): void;
  /** What the next request sends in addition. */
  send(bytes: number): void;
  /** What holds the turn to its limits: responses that were dropped have used all that they may. */
  use(): TurnUse;
  /** US dollars of responses that were seen whole. */
  seenUsd(): number;
  /** Tokens that the session's next request sends, at most, beside a new prompt. */
  nextPrompt(): number;
  /** @param wasCut - It was ended from outside: a response more may be under way. */
  cost(wasCut: boolean): Cost;
}

export function createOpencodeMeter(options: OpencodeMeterOptions): OpencodeMeter {
  const { model, prices, maxOutput, firstPrompt } = options;
  const price = opencodePrice(model, prices);
  const own = ownOpencodePrice(model, prices);
  let [seenUsd, unseenUsd, unpricedTokens, requests] = [0, 0, 0, 0];
  let [droppedUsd, droppedTokens] = [0, 0];
  let [isOpen, isComputed] = [false, false];
  let last: Tokens | undefined;
  let [sent, sentSince] = [0, 0];

  const room = (): ResponseRoom => ({
    promptTokens: Math.min(
      (price ?? DEAREST).context,
      (last === undefined ? firstPrompt : sumOf(last)) + sent + sentSince,
    ),
    maxOutput,
  });
  const boundUsd = (): number => boundAt(price ?? DEAREST, room());
  const book = (tokens: Tokens, costUsd: number): void => {
    if (own === undefined && costUsd > 0) {
      seenUsd += costUsd;
      return;
    }
    isComputed = true;
    const usd = costAt(own ?? price ?? DEAREST, tokens);
    if (price !== undefined) seenUsd += usd;
    else [unseenUsd, unpricedTokens] = [unseenUsd + usd, unpricedTokens + sumOf(tokens)];
  };
  return {
    options,
    start() {
      requests += 1;
      if (isOpen) {
        const { promptTokens } = room();
        droppedUsd += boundUsd();
        droppedTokens += promptTokens + maxOutput;
      }
      isOpen = true;
    },
    finish(tokens, costUsd) {
      isOpen = false;
      book(tokens, costUsd);
      [last, sent, sentSince] = [tokens, sentSince, 0];
    },
    send(bytes) {
      sentSince += bytes;
    },
    use: () => ({
      costUsd: seenUsd + (price === undefined ? 0 : droppedUsd),
      unpricedTokens: unpricedTokens + (price === undefined ? droppedTokens : 0),
      requests,
    }),
    seenUsd: () => seenUsd,
    nextPrompt: () => room().promptTokens + (isOpen ? maxOutput : 0),
    cost(wasCut) {
      const pendingUsd = isOpen || wasCut ? boundUsd() : 0;
      const unknownUsd = unseenUsd + droppedUsd + pendingUsd;
      if (seenUsd === 0 && unpricedTokens > 0) return { costSource: "unknown", unknownUsd };
      if (wasCut || unknownUsd > 0) return { costUsd: seenUsd, costSource: "partial", unknownUsd };
      return { costUsd: seenUsd, costSource: isComputed ? "computed" : "reported" };
    },
  };
}
