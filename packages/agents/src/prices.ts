/** US dollars for a million tokens. */
export interface Price {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
}

/** Tokens of one or more requests; `input` leaves out what was read from or written to a cache. */
export interface Tokens {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
}

const KEYS = ["input", "output", "cacheRead", "cacheWrite"] as const;

/** New tokens, key by key. */
export function mapTokens(of: (key: (typeof KEYS)[number]) => number): Tokens {
  const [input, output, cacheRead, cacheWrite] = KEYS.map(of) as [number, number, number, number];
  return { input, output, cacheRead, cacheWrite };
}

export const NO_TOKENS: Tokens = mapTokens(() => 0);

export const sumOf = (tokens: Tokens): number => KEYS.reduce((sum, key) => sum + tokens[key], 0);

/** What has been used since a count; never less than nothing. */
export const tokensBetween = (before: Tokens, after: Tokens): Tokens =>
  mapTokens((key) => Math.max(0, after[key] - before[key]));

const price = (input: number, output: number, cacheRead: number, cacheWrite: number): Price => ({
  input,
  output,
  cacheRead,
  cacheWrite,
});

/** When the prices below were last compared with their sources. */
export const PRICES_AS_OF = "2026-11-21";

/**
 * List prices, by the model's name without a date. For what an agent does not say itself: Claude's
 * cost within a turn, Codex's cost at all. A model that is not here has an unknown cost.
 *
 * Claude's are those that Claude Code 2.1.329 counts with; OpenAI's are of the standard tier, below
 * the surcharge for long contexts.
 */
const PRICES: Readonly<Record<string, Price>> = {
  "claude-opus-5-5": price(4, 20, 0.2, 5),
  "claude-opus-5": price(5, 25, 0.5, 6.25),
  "claude-opus-4-8": price(5, 25, 0.5, 6.25),
  "claude-opus-4-7": price(5, 25, 0.5, 6.25),
  "claude-opus-4-6": price(5, 25, 0.5, 6.25),
  "claude-opus-4-5": price(5, 25, 0.5, 6.25),
  "claude-sonnet-5-5": price(2, 10, 0.1, 2.5),
  "claude-sonnet-5": price(2, 10, 0.2, 2.5),
  "claude-sonnet-4-6": price(3, 15, 0.3, 3.75),
  "claude-sonnet-4-5": price(3, 15, 0.3, 3.75),
  "claude-haiku-4-5": price(1, 5, 0.1, 1.25),
  "gpt-5.5": price(5, 30, 0.5, 5),
  "gpt-5.4": price(2.5, 15, 0.25, 2.5),
  "gpt-5.4-mini": price(0.75, 4.5, 0.075, 0.75),
  "gpt-5.4-nano": price(0.2, 1.25, 0.02, 0.2),
  "gpt-5.3-codex": price(1.75, 14, 0.175, 1.75),
  "gpt-5.2-codex": price(1.75, 14, 0.175, 1.75),
  "gpt-5.2": price(1.75, 14, 0.175, 1.75),
  "gpt-5.1": price(1.25, 10, 0.125, 1.25),
  "gpt-5": price(1.25, 10, 0.125, 1.25),
  "gpt-5-codex": price(1.25, 10, 0.125, 1.25),
  "gpt-5-mini": price(0.25, 2, 0.025, 0.25),
};

/** `claude-haiku-4-5-20251001`, `gpt-5.5-2026-04-23`, `claude-opus-5-5[1m]`: the same model. */
const VARIANT = /(-\d{8}|-\d{4}-\d\d-\d\d|\[1m\])$/;

/**
 * What tokens of a model cost, in US dollars.
 *
 * @returns `undefined` for a model whose price is not known: unknown, not zero.
 */
export function costOf(model: string, tokens: Tokens): number | undefined {
  const name = model.replace(VARIANT, "");
  const of = Object.hasOwn(PRICES, name) ? PRICES[name] : undefined;
  return (
    of &&
    (tokens.input * of.input +
      tokens.output * of.output +
      tokens.cacheRead * of.cacheRead +
      tokens.cacheWrite * of.cacheWrite) /
      1e6
  );
}
