import { type Price, PRICE_LIST, type Rates } from "./price-list.ts";

/** What one or more requests used; `input` leaves out what was read from or written to a cache. */
export interface Tokens {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly cacheWriteLong: number;
  /** No tokens, but counted beside them. */
  readonly webSearches: number;
}

const KINDS = ["input", "output", "cacheRead", "cacheWrite", "cacheWriteLong"] as const;

/** New counts, key by key. */
export function mapTokens(of: (key: keyof Tokens) => number): Tokens {
  return {
    input: of("input"),
    output: of("output"),
    cacheRead: of("cacheRead"),
    cacheWrite: of("cacheWrite"),
    cacheWriteLong: of("cacheWriteLong"),
    webSearches: of("webSearches"),
  };
}

export const NO_TOKENS: Tokens = mapTokens(() => 0);

/** How many tokens there are. */
export const sumOf = (tokens: Tokens): number => KINDS.reduce((sum, key) => sum + tokens[key], 0);

/** How many of them the model was sent. */
export const promptOf = (tokens: Tokens): number => sumOf(tokens) - tokens.output;

/** What has been used since a count; never less than nothing. */
export const tokensBetween = (before: Tokens, after: Tokens): Tokens =>
  mapTokens((key) => Math.max(0, after[key] - before[key]));

/** What a user says of a model's price: data, as it goes to another process. */
export interface ModelPrice {
  /** US dollars for a million tokens. */
  readonly input: number;
  readonly output: number;
  /** @default as `input` */
  readonly cacheRead?: number | undefined;
  /** @default 1.25 times `input` */
  readonly cacheWrite?: number | undefined;
  /** @default twice `input` */
  readonly cacheWriteLong?: number | undefined;
  /** Tokens that a response may have. @default 128,000 */
  readonly maxOutput?: number | undefined;
  /** Tokens that a request may have. @default 1,000,000 */
  readonly context?: number | undefined;
}

/** By the model's name; they go before the list's. */
export type ModelPrices = Readonly<Record<string, ModelPrice>>;

/** `claude-haiku-4-5-20251001`, `gpt-5.5-2026-04-23`, `claude-opus-5-5[1m]`: the same model. */
const VARIANT = /(-\d{8}|-\d{4}-\d\d-\d\d|\[1m\])$/;

/**
 * The price of a model.
 *
 * @returns `undefined` for a model whose price is not known: unknown, not zero.
 */
export function priceOf(model: string, prices?: ModelPrices): Price | undefined {
  return ownPriceOf(model, prices) ?? namesOf(model).flatMap((name) => listed(name) ?? [])[0];
}

/** The price of a model that a user has set. */
export function ownPriceOf(model: string, prices: ModelPrices = {}): Price | undefined {
  const name = namesOf(model).find((each) => Object.hasOwn(prices, each));
  return name === undefined ? undefined : completed(prices[name]);
}

const namesOf = (model: string): readonly string[] => [model, model.replace(VARIANT, "")];

const listed = (name: string): Price | undefined =>
  Object.hasOwn(PRICE_LIST, name) ? PRICE_LIST[name] : undefined;

function completed(price: ModelPrice | undefined): Price | undefined {
  if (price === undefined) return undefined;
  const { input, output, cacheRead = input, cacheWrite = 1.25 * input } = price;
  const { cacheWriteLong = 2 * input, maxOutput = 128_000, context = 1_000_000 } = price;
  const rates = { input, output, cacheRead, cacheWrite, cacheWriteLong };
  return { ...rates, webSearch: 0.01, maxOutput, context, asOf: "", source: "the configuration" };
}

/** What a model without a price is counted at until its price is known: the dearest rate of each kind. */
export const DEAREST: Price = {
  input: dearest("input"),
  output: dearest("output"),
  cacheRead: dearest("cacheRead"),
  cacheWrite: dearest("cacheWrite"),
  cacheWriteLong: dearest("cacheWriteLong"),
  webSearch: 0.01,
  maxOutput: 128_000,
  context: 1_000_000,
  asOf: "",
  source: "the dearest rates of the list",
};

function dearest(kind: keyof Rates): number {
  return Math.max(...Object.values(PRICE_LIST).map((price) => price[kind]));
}

/** What tokens of one request cost, in US dollars. */
export function costAt(price: Price, tokens: Tokens, isFast: boolean = false): number {
  const rates = ratesOf(price, promptOf(tokens), isFast);
  const sum = KINDS.reduce((usd, kind) => usd + tokens[kind] * rates[kind], 0);
  return sum / 1e6 + tokens.webSearches * price.webSearch;
}

function ratesOf(price: Price, promptTokens: number, isFast: boolean): Rates {
  if (isFast && price.fast !== undefined) return price.fast;
  return price.long !== undefined && promptTokens > price.long.above ? price.long : price;
}

/**
 * What tokens of a model cost, in US dollars.
 *
 * @returns `undefined` for a model whose price is not known.
 */
export function costOf(model: string, tokens: Tokens, prices?: ModelPrices): number | undefined {
  const price = priceOf(model, prices);
  return price && costAt(price, tokens);
}

/** What bounds the cost of one response. */
export interface ResponseRoom {
  /** Tokens that it is sent, at most. */
  readonly promptTokens: number;
  /** Tokens that it may answer with, as the agent was told. */
  readonly maxOutput: number;
  readonly isFast?: boolean | undefined;
}

/** The most that a response may cost, in US dollars: its input at the dearest rate, and all its output. */
export function boundAt(
  price: Price,
  { promptTokens, maxOutput, isFast = false }: ResponseRoom,
): number {
  const prompt = Math.min(price.context, promptTokens);
  const rates = ratesOf(price, prompt, isFast);
  const { input, cacheRead, cacheWrite, cacheWriteLong } = rates;
  const dearestInput = Math.max(input, cacheRead, cacheWrite, cacheWriteLong);
  const output = Math.min(price.maxOutput, maxOutput);
  return (prompt * dearestInput + output * rates.output) / 1e6;
}

/** The output limit that agents get, in tokens; where they do not let us, what a bound is made with. */
export const MAX_OUTPUT_TOKENS = 32_000;

const LEAST_TOKENS = 200_000;

/** How many tokens of models without a price a turn may use: twice what its allowance buys of the dearest input. */
export function tokenLimit(maxCostUsd: number): number {
  return Math.max(LEAST_TOKENS, Math.floor((2 * maxCostUsd * 1e6) / DEAREST.input));
}

/** When the list's prices were last compared with their sources. */
export const PRICES_AS_OF: string = Object.values(PRICE_LIST)
  .map(({ asOf }) => asOf)
  .toSorted()[0] as string;
