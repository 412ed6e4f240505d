import { costOf, type ModelPrices } from "../prices.ts";
import type { ClaudeModelUsage, ClaudeResult } from "./event.ts";

const total = (usage: ClaudeModelUsage, of: (part: ClaudeModelUsage[string]) => number) =>
  Object.values(usage).reduce((sum, part) => sum + of(part), 0);

/**
 * What a run cost since its last result, in US dollars. Whether `total_cost_usd` counts the run or its
 * session depends on the version: the tokens by model, beside the run's own, tell which.
 *
 * @returns `undefined` when the result does not say it for the run alone.
 * @see SPEC.md, "Cost of Claude Code"
 */
export function costOfResult(result: ClaudeResult, prices?: ModelPrices): number | undefined {
  const { model_usage_since_last_result: ofRun, modelUsage, usage, total_cost_usd } = result;
  if (ofRun) {
    return total(ofRun, (part) => part.costUSD);
  }
  if (!modelUsage || !usage) {
    return total_cost_usd ?? undefined;
  }
  const counted = total(modelUsage, (part) => part.inputTokens + part.outputTokens);
  if (counted <= usage.input + usage.output) {
    return total_cost_usd ?? undefined;
  }
  const [model, ...others] = Object.keys(modelUsage);
  return model === undefined || others.length > 0 ? undefined : costOf(model, usage, prices);
}
