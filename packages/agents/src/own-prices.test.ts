import { expect, test } from "vitest";
import { costOfResult } from "./claude/cost.ts";
import { parseClaudeEvent } from "./claude/event.ts";
import { ownPriceOf, priceOf } from "./prices.ts";

const USED = {
  ...{ inputTokens: 1e6, outputTokens: 1e6, cacheReadInputTokens: 1e6, webSearchRequests: 1 },
  ...{ cacheCreationInputTokens: 2e6, cacheCreationEphemeral1hInputTokens: 1e6, costUSD: 7 },
};
const PRICE = { input: 1, output: 2, cacheRead: 3, cacheWrite: 4, cacheWriteLong: 5 };
const COST = 1 + 2 + 3 + 4 + 5 + 0.01;

function cost(result: object): number | undefined {
  const said = { type: "result", usage: { input_tokens: 1e6, output_tokens: 1e6 }, ...result };
  const event = parseClaudeEvent(JSON.stringify(said));
  return event?.type === "result" ? costOfResult(event, { "model-x": PRICE }) : undefined;
}

test.for([
  ["a model that the user has priced by that price", { "model-x": USED }, COST],
  ["a dated name of it too", { "model-x-20261101": USED }, COST],
  ["another one as the agent does", { other: USED }, 7],
  ["each of several by its own", { "model-x": USED, other: USED }, COST + 7],
] as const)("counts %s", ([, usage, usd]) => {
  expect(cost({ model_usage_since_last_result: usage })).toBeCloseTo(usd, 9);
});

test("counts by the user's price where a version counts the run alone", () => {
  expect(cost({ modelUsage: { "model-x": USED }, total_cost_usd: 7 })).toBeCloseTo(COST, 9);
  expect(cost({ modelUsage: { other: USED }, total_cost_usd: 7 })).toBe(7);
});

test("a user's price goes before the list's, and says no more than it does", () => {
  expect(priceOf("gpt-5.5")?.input).toBe(5);
  expect(priceOf("gpt-5.5", { "gpt-5.5": { input: 1, output: 2 } })).toMatchObject({
    ...{ input: 1, cacheRead: 1, cacheWrite: 1.25, cacheWriteLong: 2 },
    ...{ maxOutput: 128_000, context: 1_000_000 },
  });
  expect(ownPriceOf("gpt-5.5", {})).toBeUndefined();
});
