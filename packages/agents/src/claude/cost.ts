import { costOf, mapTokens, sumOf, type Tokens } from "../prices.ts";
import type { ClaudeModelUsage, ClaudeResult } from "./event.ts";

/** Counts what a run has cost so far, from its stream: a killed Claude Code says nothing at the end. */
export interface ClaudeMeter {
  /** A response has begun. `thread` tells subagents apart. */
  start(thread: string, id: string, model: string, tokens: Tokens): void;
  /** The response's count, which replaces the one of its start. */
  update(thread: string, tokens: Tokens): void;
  /** A response of which no start was seen. */
  see(id: string, model: string, tokens: Tokens): void;
  /** US dollars; `undefined` when a model's price is not known. */
  costUsd(): number | undefined;
}

const larger = (a: Tokens, b: Tokens): Tokens => mapTokens((key) => Math.max(a[key], b[key]));

export function createClaudeMeter(): ClaudeMeter {
  const responses = new Map<string, { readonly model: string; readonly tokens: Tokens }>();
  const current = new Map<string, string>();
  const see = (id: string, model: string, tokens: Tokens) => {
    if (!responses.has(id)) {
      responses.set(id, { model, tokens });
    }
  };
  return {
    see,
    start(thread, id, model, tokens) {
      current.set(thread, id);
      see(id, model, tokens);
    },
    update(thread, tokens) {
      const id = current.get(thread) ?? "";
      const response = responses.get(id);
      if (response) {
        responses.set(id, { ...response, tokens: larger(response.tokens, tokens) });
      }
    },
    costUsd() {
      let sum: number | undefined = 0;
      for (const { model, tokens } of responses.values()) {
        const cost = sumOf(tokens) === 0 ? 0 : costOf(model, tokens);
        sum = sum === undefined || cost === undefined ? undefined : sum + cost;
      }
      return sum;
    },
  };
}

const total = (usage: ClaudeModelUsage, of: (part: ClaudeModelUsage[string]) => number) =>
  Object.values(usage).reduce((sum, part) => sum + of(part), 0);

/**
 * What a run cost by its result, in US dollars. Whether `total_cost_usd` counts the run or its
 * session depends on the version: the tokens by model, beside the run's own, tell which.
 *
 * @returns `undefined` when the result does not say it for the run alone.
 * @see SPEC.md, "Cost of Claude Code"
 */
export function runCost(result: ClaudeResult): number | undefined {
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
  return model === undefined || others.length > 0 ? undefined : costOf(model, usage);
}
