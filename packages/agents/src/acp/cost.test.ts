import { expect, test } from "vitest";
import { NO_TOKENS } from "../prices.ts";
import { usesOf } from "./cost.ts";

const used = (usage: object) => usesOf({ usage }).map(({ tokens }) => tokens);
const BASE = { inputTokens: 100, outputTokens: 10 };

test.for([
  ["without a cache", { ...BASE, totalTokens: 110 }, { input: 100, output: 10 }],
  [
    "with a cache among the input",
    { ...BASE, cachedReadTokens: 60, totalTokens: 110 },
    { input: 40, cacheRead: 60, output: 10 },
  ],
  [
    "with a cache beside the input",
    { ...BASE, cachedReadTokens: 60, totalTokens: 170 },
    { input: 100, cacheRead: 60, output: 10 },
  ],
  [
    "with thoughts beside a cache",
    { ...BASE, cachedReadTokens: 60, thoughtTokens: 1000, totalTokens: 1170 },
    { input: 100, cacheRead: 60, output: 1010 },
  ],
  ["with thoughts, and no total", { ...BASE, thoughtTokens: 1000 }, { input: 100, output: 1010 }],
  ["of which the total says more", { ...BASE, totalTokens: 5110 }, { input: 100, output: 5010 }],
] as const)("reads a use %s", ([, usage, tokens]) => {
  expect(used(usage)).toEqual([{ ...NO_TOKENS, ...tokens }]);
});

test.for([
  ["nothing", { inputTokens: 0, outputTokens: 0, totalTokens: 0 }],
  ["less than nothing", { inputTokens: -5, outputTokens: 10 }],
  ["a text", { inputTokens: 5, outputTokens: "1000000" }],
] as const)("does not believe a use of %s", ([, usage]) => {
  expect(used(usage)).toEqual([]);
});

test("believes what says more where an answer says it twice", () => {
  const quota = {
    model_usage: [{ model: "x", token_count: { input_tokens: 1, output_tokens: 1 } }],
  };
  const answer = { _meta: { quota }, usage: { inputTokens: 2_000_000, outputTokens: 1 } };
  expect(usesOf(answer)).toMatchObject([{ tokens: { input: 2_000_000 } }]);
});
