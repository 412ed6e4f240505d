import type { MoneyFacts, RunFacts, ShareFacts } from "@quasar/runs/facts";
import { knownUsd, type RunSpending } from "@quasar/runs/internal";
import { NOTHING } from "../state/cost.ts";
import type { NebulaState } from "../state/state.ts";
import type { NebulaFacts, PhaseFacts } from "./nebula-facts.ts";

/**
 * What was spent, of which the ledgers say how much it is, and the runs on what.
 *
 * @param maxUsd - 0: no limit.
 */
export function moneyOf(
  { spentUsd, unknownUsd }: RunSpending,
  runs: readonly RunFacts[],
  maxUsd: number,
): MoneyFacts {
  const spent = { spentUsd, unknownUsd };
  return {
    ...{ ...spent, knownUsd: knownUsd(spent), maxUsd },
    hasUnreportedCosts: runs.some(({ money }) => money.hasUnreportedCosts),
    byRole: sharesOf(runs.map(({ money }) => money.byRole)),
    byCycle: sharesOf(runs.map(({ money }) => money.byCycle)),
  };
}

/** The money of a whole nebula. */
export function nebulaMoney(
  total: RunSpending,
  state: Pick<NebulaState, "phases">,
  phases: readonly PhaseFacts[],
  maxUsd: number,
): NebulaFacts["money"] {
  const reserved = state.phases.map(({ reservedUsd }, at) =>
    phases[at]?.isWorkedOn === true ? Math.max(0, reservedUsd - phases[at].money.spentUsd) : 0,
  );
  const runs = phases.flatMap((phase) => phase.runs);
  return {
    ...moneyOf(total, runs, maxUsd),
    reservedUsd: exact(reserved.reduce((sum, usd) => sum + usd, 0)),
    byPhase: phases.flatMap(({ id: name, money, runs: own, attempts }) => {
      if (attempts.length === 0) return [];
      const turnCount = own.reduce((sum, { turns }) => sum + turns.length, 0);
      return { name, knownUsd: money.knownUsd, unknownUsd: money.unknownUsd, turnCount };
    }),
  };
}

export function spendingOf(costs: ReadonlyMap<string, RunSpending>, phase: string): RunSpending {
  return costs.get(phase) ?? NOTHING;
}

/** Shares of the same name together, in the order in which they first come. */
function sharesOf(lists: readonly (readonly ShareFacts[])[]): readonly ShareFacts[] {
  const sums = new Map<string, ShareFacts>();
  for (const { name, knownUsd: known, unknownUsd, turnCount } of lists.flat()) {
    const sum = sums.get(name) ?? { name, knownUsd: 0, unknownUsd: 0, turnCount: 0 };
    sums.set(name, {
      name,
      knownUsd: exact(sum.knownUsd + known),
      unknownUsd: exact(sum.unknownUsd + unknownUsd),
      turnCount: sum.turnCount + turnCount,
    });
  }
  return [...sums.values()];
}

/** Sums of decimal fractions miss what they add up to by less than this. */
export function exact(usd: number): number {
  return Math.round(usd * 1e9) / 1e9;
}
