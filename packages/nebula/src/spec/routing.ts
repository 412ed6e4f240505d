import type { ModelTier, PhaseSpec, Routing } from "./types.ts";

/** The tiers of a nebula that names none. */
export const DEFAULT_TIERS: readonly ModelTier[] = [
  { name: "fast", model: "claude-haiku", maxScore: 0.35 },
  { name: "balanced", model: "claude-sonnet", maxScore: 0.7 },
  { name: "heavy", model: "claude-opus", maxScore: 1 },
];

/** What makes a phase complex, by its share of the score, and from where on there is no more of it. */
const SIGNALS = {
  scope: { share: 0.25, full: 10 },
  body: { share: 0.35, full: 3000 },
  upstream: { share: 0.25, full: 8 },
  type: { share: 0.15, full: 1 },
} as const;

const OF_TYPE: ReadonlyMap<string, number> = new Map([
  ["task", 0.3],
  ["bug", 0.4],
  ["feature", 0.8],
]);
const OF_OTHER_TYPES = 0.5;

/**
 * How complex a phase is, from 0 to 1, as the Go original has it: entries of its scope, characters of its body, phases before
 * it, and its type.
 */
export function complexityOf(
  { scope, body, type }: Pick<PhaseSpec, "scope" | "body" | "type">,
  upstream: number,
): number {
  const counts = {
    scope: scope.length,
    body: Array.from(body).length,
    upstream,
    type: OF_TYPE.get(type) ?? OF_OTHER_TYPES,
  };
  return (Object.keys(SIGNALS) as (keyof typeof SIGNALS)[]).reduce((sum, name) => {
    const { share, full } = SIGNALS[name];
    return sum + share * Math.min(1, counts[name] / full);
  }, 0);
}

/** The tier of a phase: the first whose score it does not exceed, or the last. */
export function tierOf({ tiers }: Pick<Routing, "tiers">, score: number): ModelTier | undefined {
  const all = tiers.length === 0 ? DEFAULT_TIERS : tiers;
  return all.find(({ maxScore }) => score <= maxScore) ?? all.at(-1);
}
