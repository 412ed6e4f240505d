import {
  boundAt,
  costAt,
  DEAREST,
  type ModelPrices,
  mapTokens,
  priceOf,
  promptOf,
  sumOf,
  type Tokens,
  tokensBetween,
} from "../prices.ts";
import type { TurnUse } from "../limits.ts";
import type { Price } from "../price-list.ts";
import type { ClaudeUsage } from "./event.ts";

export interface ClaudeMeterOptions {
  readonly prices?: ModelPrices | undefined;
  /** Tokens that a response may have, as Claude Code was told. */
  readonly maxOutput: number;
  /** Tokens that a thread is sent at first, at most. */
  readonly firstPrompt: number;
  /** What the main thread is taken to ask, until the program names it. */
  readonly model: string;
  /** What its session had used before, where the count of a result is of the session. @default it is not */
  readonly before?: Tokens | undefined;
}

/** What a run has cost by its stream, in US dollars. */
export interface MeteredCost {
  /** Of models with a price, as far as their usage was said. */
  readonly seenUsd: number;
  /** What responses that were seen may have cost beyond that. */
  readonly unseenUsd: number;
  /** Used of models without a price, and counted in `unseenUsd` at the dearest rates. */
  readonly unpricedTokens: number;
}

/** Of some responses. */
interface Counted extends MeteredCost {
  /** What those of models without a price may have used beyond what was seen. */
  readonly unseenTokens: number;
}

/**
 * Counts what a run has cost so far, from its stream: a killed Claude Code says nothing at the end. The
 * main thread is `""`, a subagent's is the tool call that it answers.
 */
export interface ClaudeMeter {
  /** The program names the model that it asks. */
  name(model: string): void;
  /** The main thread asks the model; again, it may be, though a response of its own is streamed. */
  request(): void;
  /** A response is streamed. The one before it in its thread that was not whole was dropped. */
  start(thread: string, id: string, model: string, usage: ClaudeUsage): void;
  /** The streamed response's count, which replaces the one of its start. */
  update(thread: string, usage: ClaudeUsage): void;
  /** A part of a response: of one that is not streamed, with the count of its start. */
  see(thread: string, id: string, model: string, usage: ClaudeUsage, bytes: number): void;
  /** A response of the main thread broke off, of which nothing was told. */
  drop(): void;
  /** All that the run has used so far: what no response accounts for was asked for without being told. */
  complete(all: Tokens): void;
  /** What a thread's next request sends in addition. */
  send(thread: string, bytes: number): void;
  /** The same where it is not known which thread's. */
  sendAll(bytes: number): void;
  open(thread: string, isBackground: boolean): void;
  close(thread: string): void;
  isBackground(thread: string): boolean;
  /**
   * A result has come: what is whole is counted in it. Of an open subagent's last response more may come, and
   * the next result count it. @param isAborted - What was asked may be answered.
   */
  settle(isAborted: boolean): void;
  /** What holds it to its limits: of a response that is streamed only what was said of it. */
  use(): TurnUse;
  /**
   * Of responses that no result has counted.
   *
   * @param wasCut - No result may come any more that would have counted more of them.
   */
  unsettled(wasCut: boolean): MeteredCost;
  /** Of all that were seen. */
  whole(): MeteredCost;
  /** What may be under way, at most; after a kill a thread may have asked without having said so. */
  pendingUsd(wasKilled: boolean): number;
}

interface Response {
  readonly model: string;
  readonly thread: string;
  usage: ClaudeUsage;
  /** Of what it says that was seen. */
  bytes: number;
  isStreamed: boolean;
  /** `streaming`: more of it may come. `dropped`: its end never came. */
  state: "streaming" | "whole" | "dropped";
  /** Whether a result has counted it. */
  settled: "no" | "perhaps" | "yes";
}

interface Thread {
  isOpen: boolean;
  isBackground: boolean;
  last: Response | undefined;
  /** Bytes that its next request sends beside what the last one did. */
  sent: number;
  /** It asks, and nothing has come yet. */
  isRequesting: boolean;
}

const NO_PROMPT = { isOpen: true, isBackground: false, last: undefined, sent: 0 } as const;

const writesOf = (usage: ClaudeUsage): number => usage.cacheWrite + usage.cacheWriteLong;

export function createClaudeMeter(options: ClaudeMeterOptions): ClaudeMeter {
  const { prices, maxOutput, firstPrompt } = options;
  const responses = new Map<string, Response>();
  const threads = new Map<string, Thread>([["", { ...NO_PROMPT, isRequesting: false }]]);

  let { model: named } = options;
  let abortedUsd = 0;
  /** Of responses that broke off before anything of them was told. */
  const dropped = { pricedUsd: 0, unpricedUsd: 0, unpricedTokens: 0 };

  const threadOf = (name: string): Thread => {
    const known = threads.get(name);
    if (known) return known;
    const thread: Thread = { ...NO_PROMPT, isRequesting: false };
    threads.set(name, thread);
    return thread;
  };
  const begin = (name: string, id: string, response: Response): Response => {
    const known = responses.get(id);
    if (known) return known;
    const thread = threadOf(name);
    if (thread.last?.state === "streaming") thread.last.state = "dropped";
    responses.set(id, response);
    Object.assign(thread, { last: response, sent: 0, isRequesting: false, isOpen: true });
    return response;
  };

  /** What a response's output may be beyond what was said of it, in tokens. */
  const moreOutput = ({ state, isStreamed, bytes, usage, model }: Response): number => {
    const limit = Math.min(maxOutput, (priceOf(model, prices) ?? DEAREST).maxOutput);
    if (state !== "whole") return Math.max(0, limit - usage.output);
    // A token is a byte at least; what a subagent says is seen whole, but not counted.
    return isStreamed ? 0 : Math.max(0, Math.min(limit, bytes) - usage.output);
  };
  const countOf = (chosen: Iterable<Response>): Counted => {
    let [seenUsd, unseenUsd, unpricedTokens, unseenTokens] = [0, 0, 0, 0];
    for (const response of chosen) {
      const { model, usage } = response;
      const isNothing = sumOf(usage) + usage.webSearches === 0;
      if (isNothing && response.state === "whole") continue;
      const price = priceOf(model, prices);
      const most = { ...usage, output: usage.output + moreOutput(response) };
      const [seen, all] = [usage, most].map((each) => costAt(price ?? DEAREST, each, usage.isFast));
      if (price === undefined) {
        unpricedTokens += sumOf(usage);
        unseenTokens += sumOf(most) - sumOf(usage);
        unseenUsd += all ?? 0;
      } else {
        seenUsd += seen ?? 0;
        unseenUsd += (all ?? 0) - (seen ?? 0);
      }
    }
    return { seenUsd, unseenUsd, unpricedTokens, unseenTokens };
  };
  /** `undefined`: it has none, or nothing says which model is asked, as of a subagent that has not answered. */
  const listedPriceOf = (name: string): Price | undefined => {
    const asked = threadOf(name).last?.model ?? (name === "" ? named : undefined);
    return asked === undefined ? undefined : priceOf(asked, prices);
  };
  const nextPromptOf = (name: string): number => {
    const { last, sent } = threadOf(name);
    if (last === undefined) return firstPrompt + sent;
    return promptOf(last.usage) + last.usage.output + moreOutput(last) + sent;
  };
  const boundOf = (name: string): number => {
    const isFast = threadOf(name).last?.usage.isFast;
    const room = { promptTokens: nextPromptOf(name), maxOutput, isFast };
    return boundAt(listedPriceOf(name) ?? DEAREST, room);
  };

  /** Of the models that were named, the one that asks most for these tokens. */
  const dearestFor = (used: ClaudeUsage): string => {
    const asked = new Set([...responses.values()].map(({ model }) => model));
    const usd = (model: string): number => costAt(priceOf(model, prices) ?? DEAREST, used);
    return [...asked].toSorted((a, b) => usd(b) - usd(a))[0] ?? named;
  };
  const withDropped = (cost: MeteredCost): MeteredCost => ({
    ...cost,
    unseenUsd: cost.unseenUsd + dropped.pricedUsd + dropped.unpricedUsd,
  });

  return {
    name(model) {
      if (model !== "") named = model;
    },
    request() {
      threadOf("").isRequesting = true;
    },
    drop() {
      if (listedPriceOf("") === undefined) {
        dropped.unpricedUsd += boundOf("");
        dropped.unpricedTokens += nextPromptOf("") + maxOutput;
      } else dropped.pricedUsd += boundOf("");
    },
    complete(all) {
      const told = [...responses.values()].map(({ usage }) => usage);
      const seen = mapTokens((key) => told.reduce((sum, usage) => sum + usage[key], 0));
      const usage = { ...tokensBetween(seen, all), isFast: false };
      if (sumOf(usage) === 0) return;
      responses.set(`untold ${responses.size}`, {
        ...{ model: dearestFor(usage), thread: "", usage, bytes: 0, isStreamed: true },
        ...{ state: "whole", settled: "no" },
      });
    },
    start(thread, id, model, usage) {
      const response = begin(thread, id, {
        ...{ model, thread, usage, bytes: 0, isStreamed: true },
        ...{ state: "streaming", settled: "no" },
      });
      response.isStreamed = true;
    },
    update(thread, usage) {
      const asked = threadOf(thread);
      const response = asked.last;
      if (response?.isStreamed !== true || response.state !== "streaming") return;
      asked.isRequesting = false;
      const { usage: first } = response;
      const larger = mapTokens((key) => Math.max(first[key], usage[key]));
      const { cacheWrite, cacheWriteLong } = writesOf(usage) > 0 ? usage : first;
      const isFast = first.isFast || usage.isFast;
      response.usage = { ...larger, cacheWrite, cacheWriteLong, isFast };
      response.state = "whole";
    },
    see(thread, id, model, usage, bytes) {
      const response = begin(thread, id, {
        ...{ model, thread, usage, bytes: 0, isStreamed: false },
        ...{ state: "whole", settled: "no" },
      });
      response.bytes += bytes;
    },
    send(thread, bytes) {
      threadOf(thread).sent += bytes;
    },
    sendAll(bytes) {
      for (const thread of threads.values()) thread.sent += bytes;
    },
    open(thread, isBackground) {
      const opened = threadOf(thread);
      opened.isOpen = true;
      opened.isBackground ||= isBackground;
    },
    close(thread) {
      const closed = threads.get(thread);
      if (closed !== undefined && thread !== "") closed.isOpen = false;
    },
    isBackground: (thread) => threads.get(thread)?.isBackground === true,
    settle(isAborted) {
      const main = threadOf("");
      if (isAborted && main.isRequesting) abortedUsd += boundOf("");
      main.isRequesting = false;
      for (const response of responses.values()) {
        const { thread, state, settled } = response;
        const { isOpen, last } = threadOf(thread);
        const isFirst = settled === "no" && thread !== "" && isOpen && last === response;
        if (state === "whole") response.settled = isFirst ? "perhaps" : "yes";
        // It is over, and its response never came to its end.
        else if (thread === "") response.state = "dropped";
      }
    },
    use() {
      const all = [...responses.values()];
      const isUnderWay = ({ state }: Response): boolean => state === "streaming";
      const [running, ended] = [all.filter(isUnderWay), all.filter((each) => !isUnderWay(each))];
      const [now, done] = [countOf(running), countOf(ended)];
      const isPriced = ({ model }: Response): boolean => priceOf(model, prices) !== undefined;
      const { seenUsd, unseenUsd } = countOf(ended.filter(isPriced));
      return {
        costUsd: now.seenUsd + seenUsd + unseenUsd + dropped.pricedUsd,
        unpricedTokens:
          now.unpricedTokens + done.unpricedTokens + done.unseenTokens + dropped.unpricedTokens,
        requests: responses.size,
      };
    },
    unsettled(wasCut) {
      const isMissing = ({ settled }: Response): boolean =>
        settled === "no" || (wasCut && settled === "perhaps");
      return withDropped(countOf([...responses.values()].filter(isMissing)));
    },
    whole: () => withDropped(countOf(responses.values())),
    pendingUsd(wasKilled) {
      let usd = abortedUsd;
      for (const [name, thread] of threads) {
        const isAsking = name === "" ? thread.isRequesting : true;
        const isStreaming = thread.last?.state === "streaming";
        // What is streamed is bounded where it is counted.
        const isBounded = isStreaming && !thread.isRequesting;
        if (thread.isOpen && !isBounded && (wasKilled || isAsking)) usd += boundOf(name);
      }
      return usd;
    },
  };
}
