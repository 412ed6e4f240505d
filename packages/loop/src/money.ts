import type { AgentResult } from "./agent.ts";
import type { CycleState } from "./state.ts";

type Limits = Pick<CycleState, "totalCostUsd" | "maxBudgetUsd" | "maxCycles">;

/** Whether all that may be spent is spent. Without a limit it never is. */
export function isOverBudget({ totalCostUsd, maxBudgetUsd }: Limits): boolean {
  return maxBudgetUsd > 0 && totalCostUsd >= maxBudgetUsd;
}

/** What the next turns may cost together in US dollars; 0 without a limit. */
export function reservation(
  { totalCostUsd, maxBudgetUsd, maxCycles }: Limits,
  turns: number = 1,
): number {
  const share = maxBudgetUsd / (2 * maxCycles);
  return Math.max(0, Math.min(maxBudgetUsd - totalCostUsd, turns * share));
}

/** What a turn is counted with: what is not known of its cost is taken for all that was reserved. */
export function settledCost(
  result: Pick<AgentResult, "costUsd" | "costSource">,
  reservedUsd: number,
): number {
  const cost = result.costUsd ?? Number.NaN;
  if (!Number.isFinite(cost) || cost < 0 || result.costSource === "unknown") return reservedUsd;
  return result.costSource === "partial" ? Math.max(cost, reservedUsd) : cost;
}
