import * as v from "valibot";
import { type Cost, NOTHING_SPENT } from "../agent-process.ts";
import { costOf, type ModelPrices, NO_TOKENS, sumOf, type Tokens } from "../prices.ts";

const count = v.fallback(v.pipe(v.number(), v.minValue(0)), 0);
const tokens = v.pipe(v.number(), v.finite(), v.minValue(0));

/** What a turn has used, as the protocol has it. */
const Usage = v.object({
  inputTokens: tokens,
  outputTokens: tokens,
  totalTokens: count,
  thoughtTokens: v.optional(count, 0),
  cachedReadTokens: v.optional(count, 0),
  cachedWriteTokens: v.optional(count, 0),
});

/** The same as Gemini CLI has it, by models. */
const Quota = v.object({
  _meta: v.object({
    quota: v.object({
      model_usage: v.array(
        v.object({
          model: v.string(),
          token_count: v.object({ input_tokens: count, output_tokens: count }),
        }),
      ),
    }),
  }),
});

/** What a turn has used of a model; `undefined`: of the session's. */
export interface ModelUse {
  readonly model: string | undefined;
  readonly tokens: Tokens;
}

/** What the answer to a prompt says of tokens; none where it says nothing. */
export function usesOf(answer: unknown): readonly ModelUse[] {
  const [byModels, whole] = [usesByModels(answer), wholeUse(answer)];
  // Where both are there, what says more: a cost may be too high, but not too low.
  const uses = sumOfUses(byModels) >= sumOfUses(whole) ? byModels : whole;
  return sumOfUses(uses) === 0 ? [] : uses;
}

function usesByModels(answer: unknown): readonly ModelUse[] {
  const { success, output } = v.safeParse(Quota, answer);
  if (!success) return [];
  const { _meta: meta } = output;
  return meta.quota.model_usage.map(({ model, token_count: used }) => ({
    model,
    tokens: { ...NO_TOKENS, input: used.input_tokens, output: used.output_tokens },
  }));
}

function wholeUse(answer: unknown): readonly ModelUse[] {
  const said = v.safeParse(v.object({ usage: Usage }), answer);
  return said.success ? [{ model: undefined, tokens: tokensOf(said.output.usage) }] : [];
}

function sumOfUses(uses: readonly ModelUse[]): number {
  return uses.reduce((sum, use) => sum + sumOf(use.tokens), 0);
}

/** Some count what came from a cache among the input, others beside it, and thoughts too: the total tells. */
function tokensOf(usage: v.InferOutput<typeof Usage>): Tokens {
  const { inputTokens, outputTokens, totalTokens, thoughtTokens } = usage;
  const { cachedReadTokens: cacheRead, cachedWriteTokens: cacheWrite } = usage;
  const cached = cacheRead + cacheWrite;
  const isBeside = totalTokens >= inputTokens + outputTokens + cached;
  const input = isBeside ? inputTokens : Math.max(0, inputTokens - cached);
  // What the total has beside all else was thought; without a total, thoughts are taken to be beside the output.
  const rest = totalTokens - input - cached;
  const output = totalTokens === 0 ? outputTokens + thoughtTokens : Math.max(outputTokens, rest);
  return { ...NO_TOKENS, input, output, cacheRead, cacheWrite };
}

/** What is known of a turn's cost. */
export interface AcpSpending {
  /** Whether the prompt was sent: before, nothing is asked of a model. */
  readonly isAsked: boolean;
  readonly isAnswered: boolean;
  /** What the session had cost, in US dollars, and what it costs now; `undefined`: the agent does not say. */
  readonly beforeUsd: number | undefined;
  readonly sessionUsd: number | undefined;
  readonly uses: readonly ModelUse[];
  /** The session's model. */
  readonly model: string | undefined;
}

/** @see SPEC.md, "ACP" */
export function acpCost(spending: AcpSpending, prices: ModelPrices | undefined): Cost {
  const { isAsked, isAnswered, beforeUsd, sessionUsd, uses, model } = spending;
  if (!isAsked) return NOTHING_SPENT;
  if (beforeUsd !== undefined && sessionUsd !== undefined) {
    const costUsd = Math.max(0, sessionUsd - beforeUsd);
    return { costUsd, costSource: isAnswered ? "reported" : "partial" };
  }
  // It did not cost more than its whole session.
  if (sessionUsd !== undefined) return { costSource: "unknown", unknownUsd: sessionUsd };
  const costs = uses.map((use) => costOf(use.model ?? model ?? "", use.tokens, prices));
  if (costs.length === 0 || costs.includes(undefined)) return { costSource: "unknown" };
  return {
    costUsd: costs.reduce<number>((sum, usd) => sum + (usd ?? 0), 0),
    costSource: "computed",
  };
}
