import type { PlannedPhase } from "./plan.ts";

/** A phase that has been worked on to its end. */
export interface PastPhase {
  /** US dollars, above 0. */
  readonly costUsd: number;
  /** `undefined`: not known. */
  readonly coder: string | undefined;
}

/** What phases will likely cost, as others before them have. */
export interface CostEstimate {
  readonly likelyUsd: number;
  /** How many past phases it is made of. */
  readonly pastCount: number;
}

/** Fewer phases of one coder say less than those of all. */
const ENOUGH = 3;

/**
 * The sum of what each phase likely costs: the median of the past ones of its coder, or of all where these are fewer than
 * three, and never more than its limit. `undefined`: there are no past ones.
 */
export function estimateCost(
  phases: readonly PlannedPhase[],
  past: readonly PastPhase[],
): CostEstimate | undefined {
  if (past.length === 0) return undefined;
  const used = new Set<PastPhase>();
  let likelyUsd = 0;
  for (const { settings } of phases) {
    const same = past.filter(({ coder }) => coder !== undefined && coder === settings.coder);
    const those = same.length >= ENOUGH ? same : past;
    for (const each of those) used.add(each);
    const median = medianOf(those.map(({ costUsd }) => costUsd));
    likelyUsd += Math.min(median, settings.maxBudgetUsd || median);
  }
  return { likelyUsd, pastCount: used.size };
}

function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  const [low = 0, high = low] = [
    sorted[Math.floor((sorted.length - 1) / 2)],
    sorted[Math.floor(sorted.length / 2)],
  ];
  return (low + high) / 2;
}
