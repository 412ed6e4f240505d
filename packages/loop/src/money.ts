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

/** What a turn is counted with, in US dollars. */
export interface Cost {
  readonly source: AgentResult["costSource"];
  readonly totalUsd: number;
  /** How much of it is reserved only: it may have cost so much less. */
  readonly unknownUsd: number;
}

/** The cost of a turn of which nothing is known: all that was reserved for it. */
export function unknownCost(reservedUsd: number): Cost {
  return { source: "unknown", totalUsd: reservedUsd, unknownUsd: reservedUsd };
}

/**
 * What is not known of a turn's cost is taken for all that was reserved. Of a cost known in part,
 * what goes beyond that part is unknown.
 */
export function settledCost(
  { costUsd, costSource }: Pick<AgentResult, "costUsd" | "costSource">,
  reservedUsd: number,
): Cost {
  if (!isAmount(costUsd) || costSource === "unknown") return unknownCost(reservedUsd);
  const unknownUsd = costSource === "partial" ? Math.max(0, reservedUsd - costUsd) : 0;
  return { source: costSource, totalUsd: costUsd + unknownUsd, unknownUsd };
}

/** The cost of a turn of which nothing was asked, unless its agent says that it cost something. */
export function refusedCost({ costUsd }: Pick<AgentResult, "costUsd">): Cost {
  return { source: "reported", totalUsd: isAmount(costUsd) ? costUsd : 0, unknownUsd: 0 };
}

function isAmount(usd: number | undefined): usd is number {
  return usd !== undefined && Number.isFinite(usd) && usd >= 0;
}

type Spent = Pick<CycleState, "totalCostUsd" | "unknownCostUsd">;

/** What is spent, in words: what is known of it, and what the rest may be at most. */
export function spentWords({ totalCostUsd, unknownCostUsd }: Spent): string {
  if (unknownCostUsd <= 0) return dollars(totalCostUsd);
  const known = Math.max(0, totalCostUsd - unknownCostUsd);
  return `${dollars(known)} known + up to ${dollars(unknownCostUsd)}`;
}

/** To the cent, and what is less than one to a hundredth of it. */
export function dollars(usd: number): string {
  return `$${usd.toFixed(usd > 0 && usd < 0.01 ? 4 : 2)}`;
}
