import { costAt, costOf, type ModelPrices, ownPriceOf } from "../prices.ts";
import type { ClaudeModelUsage, ClaudeResult } from "./event.ts";

/** What a user says of a model's price goes before what Claude Code counts with. */
function totalOf(usage: ClaudeModelUsage, prices: ModelPrices | undefined): number {
  return Object.entries(usage).reduce((sum, [model, part]) => {
    const own = ownPriceOf(model, prices);
    return sum + (own === undefined ? part.costUSD : costAt(own, part));
  }, 0);
}

/**
 * What a run cost since its last result, in US dollars. Whether `total_cost_usd` counts the run or its
 * session depends on the version: the tokens by model, beside the run's own, tell which.
 *
 * @returns `undefined` when the result does not say it for the run alone.
 * @see SPEC.md, "Cost of Claude Code"
 */
export function costOfResult(result: ClaudeResult, prices?: ModelPrices): number | undefined {
  const { model_usage_since_last_result: ofRun, modelUsage, usage, total_cost_usd } = result;
  if (ofRun) return totalOf(ofRun, prices);
  if (!modelUsage || !usage) return total_cost_usd ?? undefined;
  const models = Object.keys(modelUsage);
  const counted = Object.values(modelUsage).reduce(
    (sum, { input, output }) => sum + input + output,
    0,
  );
  if (counted <= usage.input + usage.output) {
    const isOwn = models.some((model) => ownPriceOf(model, prices) !== undefined);
    return isOwn ? totalOf(modelUsage, prices) : (total_cost_usd ?? undefined);
  }
  const [model, ...others] = models;
  return model === undefined || others.length > 0 ? undefined : costOf(model, usage, prices);
}
