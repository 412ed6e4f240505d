import {
  costAt,
  DEAREST,
  type ModelPrices,
  priceOf,
  promptOf,
  type Tokens,
} from "../../src/prices.ts";
import type { Price } from "../../src/price-list.ts";

/** Of a model that no list of ours has: what its provider bills is less than the dearest of the list. */
const SECRET_PRICE: Price = {
  ...DEAREST,
  ...{ input: 8, output: 40, cacheRead: 0.8, cacheWrite: 10, cacheWriteLong: 16 },
};

/** A request to the model, which bills all of its answer, however little of it arrives. */
export interface Sent {
  readonly thread: string;
  readonly model: string;
  readonly tokens: Tokens;
}

/** What an agent does at once. */
export interface Step {
  /** What it keeps on record, before it says anything. */
  readonly records?: readonly object[] | undefined;
  readonly line: object;
  /** What it asks the model as soon as the line is out, before anybody can have read that. */
  readonly sends?: Sent | undefined;
  readonly opens?: string | undefined;
  readonly closes?: string | undefined;
}

/** An agent that works a turn for as long as it is let. */
export interface FakeAgent {
  /** `undefined`: it has come to its end. */
  next(): Step | undefined;
  /** What it still says when it is told to stop. */
  interrupt(): readonly Step[];
}

/** What continues in a turn. */
export interface TurnKinds {
  readonly hasUnknownModel: boolean;
  readonly caches: boolean;
  readonly searches: boolean;
  readonly drops: boolean;
  readonly hasBackground: boolean;
}

export type Random = () => number;

export const between = (random: Random, least: number, most: number): number =>
  least + Math.floor(random() * (most - least + 1));

export const pick = <T>(random: Random, from: readonly [T, ...T[]]): T =>
  from[Math.floor(random() * from.length)] ?? from[0];

export const chance = (random: Random, share: number): boolean => random() < share;

export const billedPriceOf = (model: string, prices?: ModelPrices): Price =>
  priceOf(model, prices) ?? SECRET_PRICE;

/** What the provider bills for a request, in US dollars. */
export const billOf = ({ model, tokens }: Sent): number => costAt(billedPriceOf(model), tokens);

/** How the tokens of a prompt are distinguished: read from a cache, written to one, or neither. */
export function promptTokens(
  random: Random,
  prompt: number,
  { caches }: TurnKinds,
): Omit<Tokens, "output" | "webSearches"> {
  if (!caches) return { input: prompt, cacheRead: 0, cacheWrite: 0, cacheWriteLong: 0 };
  const cacheRead = between(random, 0, prompt);
  const cacheWrite = between(random, 0, prompt - cacheRead);
  const cacheWriteLong = between(random, 0, prompt - cacheRead - cacheWrite);
  return {
    ...{ input: prompt - cacheRead - cacheWrite - cacheWriteLong },
    ...{ cacheRead, cacheWrite, cacheWriteLong },
  };
}

/** Mostly little is said, now and then all that may be. */
export const outputTokens = (random: Random, most: number): number =>
  chance(random, 0.4) ? most : between(random, 1, Math.min(600, most));

/** What the next request of a thread sends: all of the last one, what it answered, and more. */
export const grown = ({ tokens }: Sent, more: number): number =>
  promptOf(tokens) + tokens.output + more;
