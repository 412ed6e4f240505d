/** US dollars for a million tokens, by kind. */
export interface Rates {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  /** Kept for minutes. */
  readonly cacheWrite: number;
  /** Kept for an hour or longer. */
  readonly cacheWriteLong: number;
}

/** What a model costs, and how much one response of it can cost. */
export interface Price extends Rates {
  /** US dollars for one search of the web. */
  readonly webSearch: number;
  /** Tokens that a response may have, at most. */
  readonly maxOutput: number;
  /** Tokens that a request may have, at most. */
  readonly context: number;
  /** Of a request with more tokens of input than that. */
  readonly long?: Rates & { readonly above: number };
  /** Of a request in the provider's fast mode. */
  readonly fast?: Rates;
  /** When it was last compared with its source. */
  readonly asOf: string;
  readonly source: string;
}

function rates(
  input: number,
  output: number,
  cacheRead: number,
  cacheWrite: number,
  cacheWriteLong: number,
): Rates {
  return { input, output, cacheRead, cacheWrite, cacheWriteLong };
}

const ANTHROPIC = {
  webSearch: 0.01,
  asOf: "2026-11-22",
  source: "the model catalog within Claude Code 2.1.330, which it counts its own cost with",
} as const;

const OPENAI = {
  webSearch: 0.01,
  maxOutput: 128_000,
  asOf: "2026-11-22",
  source: "https://developers.openai.com/api/docs/pricing",
} as const;

const GOOGLE = {
  webSearch: 0.035,
  maxOutput: 65_536,
  context: 1_048_576,
  asOf: "2026-11-26",
  source: "https://ai.google.dev/gemini-api/docs/pricing, as others quote it",
} as const;

const GOOGLE_3 = {
  ...GOOGLE,
  asOf: "2026-10-07",
  source:
    "the same page, as api-evangelist/deepmind on GitHub quotes it, without rates of caches: those of input",
} as const;

/**
 * List prices, by the model's name without a date: for what an agent does not say itself. A model that is
 * not here has an unknown cost; none is guessed.
 */
export const PRICE_LIST: Readonly<Record<string, Price>> = {
  "claude-haiku-4-5": {
    ...ANTHROPIC,
    ...rates(1, 5, 0.1, 1.25, 2),
    maxOutput: 64_000,
    context: 200_000,
  },
  "claude-sonnet-4-5": {
    ...ANTHROPIC,
    ...rates(3, 15, 0.3, 3.75, 6),
    maxOutput: 64_000,
    context: 1_000_000,
  },
  "claude-sonnet-4-6": {
    ...ANTHROPIC,
    ...rates(3, 15, 0.3, 3.75, 6),
    maxOutput: 128_000,
    context: 1_000_000,
  },
  "claude-sonnet-5": {
    ...ANTHROPIC,
    ...rates(2, 10, 0.2, 2.5, 4),
    maxOutput: 128_000,
    context: 1_000_000,
  },
  "claude-sonnet-5-5": {
    ...ANTHROPIC,
    ...rates(2, 10, 0.1, 2.5, 4),
    maxOutput: 128_000,
    context: 1_000_000,
  },
  "claude-opus-4-5": {
    ...ANTHROPIC,
    ...rates(5, 25, 0.5, 6.25, 10),
    maxOutput: 64_000,
    context: 200_000,
  },
  "claude-opus-4-6": {
    ...ANTHROPIC,
    ...rates(5, 25, 0.5, 6.25, 10),
    maxOutput: 128_000,
    context: 1_000_000,
    fast: rates(30, 150, 3, 37.5, 60),
  },
  "claude-opus-4-7": {
    ...ANTHROPIC,
    ...rates(5, 25, 0.5, 6.25, 10),
    maxOutput: 128_000,
    context: 1_000_000,
    fast: rates(30, 150, 3, 37.5, 60),
  },
  "claude-opus-4-8": {
    ...ANTHROPIC,
    ...rates(5, 25, 0.5, 6.25, 10),
    maxOutput: 128_000,
    context: 1_000_000,
    fast: rates(10, 50, 1, 12.5, 20),
  },
  "claude-opus-5": {
    ...ANTHROPIC,
    ...rates(5, 25, 0.5, 6.25, 10),
    maxOutput: 128_000,
    context: 1_000_000,
    fast: rates(10, 50, 1, 12.5, 20),
  },
  "claude-opus-5-5": {
    ...ANTHROPIC,
    ...rates(4, 20, 0.2, 5, 8),
    maxOutput: 128_000,
    context: 1_000_000,
    fast: rates(8, 40, 0.4, 10, 16),
  },
  "claude-fable-5": {
    ...ANTHROPIC,
    ...rates(10, 50, 1, 12.5, 20),
    maxOutput: 128_000,
    context: 1_000_000,
  },
  "claude-fable-5-1": {
    ...ANTHROPIC,
    ...rates(10, 50, 0.25, 12.5, 20),
    maxOutput: 128_000,
    context: 1_000_000,
  },
  "claude-fable-5-2": {
    ...ANTHROPIC,
    ...rates(8, 40, 0.2, 10, 16),
    maxOutput: 128_000,
    context: 1_000_000,
    fast: rates(16, 80, 0.4, 20, 32),
  },
  "claude-mythos-5": {
    ...ANTHROPIC,
    ...rates(10, 50, 1, 12.5, 20),
    maxOutput: 128_000,
    context: 1_000_000,
  },
  "claude-mythos-5-1": {
    ...ANTHROPIC,
    ...rates(10, 50, 0.25, 12.5, 20),
    maxOutput: 128_000,
    context: 1_000_000,
  },
  "claude-mythos-5-2": {
    ...ANTHROPIC,
    ...rates(8, 40, 0.2, 10, 16),
    maxOutput: 128_000,
    context: 1_000_000,
    fast: rates(16, 80, 0.4, 20, 32),
  },
  "claude-haiku-5-5": {
    ...ANTHROPIC,
    ...rates(0.1, 0.5, 0.01, 0.125, 0.2),
    maxOutput: 128_000,
    context: 1_000_000,
    long: { above: 100_000, ...rates(0.5, 2.5, 0.05, 0.625, 1) },
  },
  "gpt-6-astra": {
    ...OPENAI,
    ...rates(10, 50, 1, 12.5, 25),
    context: 1_050_000,
    long: { above: 272_000, ...rates(20, 75, 2, 25, 50) },
    fast: rates(20, 100, 2, 25, 50),
  },
  "gpt-6-sol": {
    ...OPENAI,
    ...rates(2, 10, 0.2, 2.5, 5),
    context: 1_050_000,
    long: { above: 272_000, ...rates(4, 15, 0.4, 5, 10) },
    fast: rates(4, 20, 0.4, 5, 10),
  },
  "gpt-6.1-sol": {
    ...OPENAI,
    ...rates(2, 10, 0.1, 2.5, 5),
    context: 1_050_000,
    long: { above: 272_000, ...rates(4, 15, 0.2, 5, 10) },
    fast: rates(4, 20, 0.2, 5, 10),
  },
  "gpt-6-luna": {
    ...OPENAI,
    ...rates(0.1, 0.5, 0.01, 0.125, 0.25),
    context: 1_050_000,
    long: { above: 272_000, ...rates(0.2, 0.75, 0.02, 0.25, 0.5) },
    fast: rates(0.2, 1, 0.02, 0.25, 0.5),
  },
  "gpt-6.1-terra": {
    ...OPENAI,
    ...rates(1, 5, 0.05, 1.25, 2.5),
    context: 1_050_000,
    long: { above: 272_000, ...rates(2, 7.5, 0.1, 2.5, 5) },
    fast: rates(2, 10, 0.1, 2.5, 5),
  },
  "gpt-5.6-terra": {
    ...OPENAI,
    ...rates(2, 12, 0.2, 2.5, 5),
    context: 1_050_000,
    long: { above: 272_000, ...rates(4, 18, 0.4, 5, 10) },
    fast: rates(4, 24, 0.4, 5, 10),
  },
  "gpt-5.6-luna": {
    ...OPENAI,
    ...rates(0.2, 1.2, 0.02, 0.25, 0.5),
    context: 1_050_000,
    long: { above: 272_000, ...rates(0.4, 1.8, 0.04, 0.5, 1) },
    fast: rates(0.4, 2.4, 0.04, 0.5, 1),
  },
  "gpt-5.5": { ...OPENAI, ...rates(5, 30, 0.5, 5, 5), context: 400_000 },
  "gpt-5.4": { ...OPENAI, ...rates(2.5, 15, 0.25, 2.5, 2.5), context: 400_000 },
  "gpt-5.4-mini": { ...OPENAI, ...rates(0.75, 4.5, 0.075, 0.75, 0.75), context: 400_000 },
  "gpt-5.4-nano": { ...OPENAI, ...rates(0.2, 1.25, 0.02, 0.2, 0.2), context: 400_000 },
  "gpt-5.3-codex": { ...OPENAI, ...rates(1.75, 14, 0.175, 1.75, 1.75), context: 400_000 },
  "gpt-5.2-codex": { ...OPENAI, ...rates(1.75, 14, 0.175, 1.75, 1.75), context: 400_000 },
  "gpt-5.2": { ...OPENAI, ...rates(1.75, 14, 0.175, 1.75, 1.75), context: 400_000 },
  "gpt-5.1": { ...OPENAI, ...rates(1.25, 10, 0.125, 1.25, 1.25), context: 400_000 },
  "gpt-5": { ...OPENAI, ...rates(1.25, 10, 0.125, 1.25, 1.25), context: 400_000 },
  "gpt-5-codex": { ...OPENAI, ...rates(1.25, 10, 0.125, 1.25, 1.25), context: 400_000 },
  "gpt-5-mini": { ...OPENAI, ...rates(0.25, 2, 0.025, 0.25, 0.25), context: 400_000 },
  "gemini-2.5-pro": {
    ...GOOGLE,
    ...rates(1.25, 10, 0.125, 1.25, 1.25),
    long: { above: 200_000, ...rates(2.5, 15, 0.25, 2.5, 2.5) },
  },
  "gemini-2.5-flash": { ...GOOGLE, ...rates(0.3, 2.5, 0.03, 0.3, 0.3) },
  "gemini-2.5-flash-lite": { ...GOOGLE, ...rates(0.1, 0.4, 0.01, 0.1, 0.1) },
  "gemini-3.1-pro-preview": {
    ...GOOGLE_3,
    ...rates(2, 12, 2, 2, 2),
    long: { above: 200_000, ...rates(4, 18, 4, 4, 4) },
  },
  // From 2027 on; until then it is half of that.
  "gemini-3.8-flash": { ...GOOGLE_3, ...rates(1.5, 7.5, 1.5, 1.5, 1.5) },
  "gemini-3.5-flash": { ...GOOGLE_3, ...rates(1.5, 9, 1.5, 1.5, 1.5) },
  "gemini-3.5-flash-lite": { ...GOOGLE_3, ...rates(0.3, 2.5, 0.3, 0.3, 0.3) },
};
