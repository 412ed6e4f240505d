import type { MoneyFacts, RunFacts } from "@quasar/runs/facts";
import { exactUsd, knownUsd, type RunSpending, sumShares } from "@quasar/runs/internal";
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
    byRole: sumShares(runs.flatMap(({ money }) => money.byRole)),
    byCycle: sumShares(runs.flatMap(({ money }) => money.byCycle)),
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
    reservedUsd: exactUsd(reserved.reduce((sum, usd) => sum + usd, 0)),
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
