import type { Cost } from "../agent-process.ts";
import {
  codexCost,
  type CodexCostOptions,
  type CodexEnd,
  codexRoom,
  type CodexUse,
  responsesOf,
  useOf,
} from "./cost.ts";
import type { TurnUse } from "../limits.ts";
import { boundAt, DEAREST, priceOf, type ResponseRoom } from "../prices.ts";
import { createRolloutReader, findRollout, type RolloutReader } from "./ledger.ts";

/** Counts what a turn has cost so far, from the record that its thread keeps response by response. */
export interface CodexMeter {
  readonly options: CodexMeterOptions;
  use(threadId: string | undefined): CodexUse;
  /** What has been used, if responses that broke off have used all that they may. */
  atMost(use: CodexUse, dropped: number): TurnUse;
  cost(threadId: string | undefined, end: CodexEnd): Cost;
}

export interface CodexMeterOptions extends CodexCostOptions {
  /** Codex's own folder. */
  readonly home: string;
}

export function createCodexMeter(options: CodexMeterOptions): CodexMeter {
  let rollout: RolloutReader | undefined;
  const use = (threadId: string | undefined): CodexUse => {
    const path =
      rollout || threadId === undefined ? undefined : findRollout(options.home, threadId);
    rollout ??= path === undefined ? undefined : createRolloutReader(path);
    rollout?.readOn();
    const { ledger } = rollout ?? {};
    const model = ledger?.model ?? options.model;
    return useOf(ledger && responsesOf(ledger, options), { ...options, model });
  };
  const roomOf = ({ responses }: CodexUse): ResponseRoom => {
    const { responses: all, bytesSince = 0 } = rollout?.ledger ?? {};
    const hasAsked = responses !== undefined && responses.length > 0;
    return codexRoom({ last: all?.at(-1), hasAsked }, options, bytesSince);
  };
  return {
    options,
    use,
    atMost(used, dropped) {
      if (dropped === 0) return used;
      const room = roomOf(used);
      const price = priceOf(used.model, options.prices);
      return price === undefined
        ? { ...used, unpricedTokens: used.unpricedTokens + dropped * roomTokens(room) }
        : { ...used, costUsd: used.costUsd + dropped * boundAt(price, room) };
    },
    cost(threadId, end) {
      const used = use(threadId);
      const price = priceOf(used.model, options.prices) ?? DEAREST;
      return codexCost(used, end, options, boundAt(price, roomOf(used)));
    },
  };
}

const roomTokens = ({ promptTokens, maxOutput }: ResponseRoom): number => promptTokens + maxOutput;
