import type { MoneyFacts, RunFacts, ShareFacts } from "@quasar/runs/facts";
import { exactUsd, knownUsd, type RunSpending, SHARE_OF, sumShares } from "@quasar/runs/internal";
import { NOTHING } from "../state/cost.ts";
import type { NebulaFacts, PhaseFacts } from "./nebula-facts.ts";

/**
 * What was spent, of which the ledgers say how much it is, and the runs on what.
 *
 * @param limits - US dollars; `maxUsd`: 0 is no limit.
 */
export function moneyOf(
  spending: RunSpending,
  runs: readonly RunFacts[],
  { maxUsd, reservedUsd }: Pick<MoneyFacts, "maxUsd" | "reservedUsd">,
): MoneyFacts {
  return {
    ...{ ...spending, knownUsd: knownUsd(spending), reservedUsd, maxUsd },
    byRole: sumShares(runs.flatMap((run) => sharesOf(run, "byRole"))),
    byCycle: sumShares(runs.flatMap((run) => sharesOf(run, "byCycle"))),
  };
}

/** A nebula counts the turn of a run whose end is not known as spent at most. */
function sharesOf({ money, turns }: RunFacts, by: keyof typeof SHARE_OF): readonly ShareFacts[] {
  const open = turns.find(({ status }) => status === "open");
  if (open === undefined || money.reservedUsd === 0) return money[by];
  const reserved = { knownUsd: 0, unknownUsd: money.reservedUsd, turnCount: 0 };
  return [...money[by], { name: SHARE_OF[by](open), ...reserved }];
}

/** The money of a whole nebula. */
export function nebulaMoney(
  total: RunSpending,
  phases: readonly PhaseFacts[],
  maxUsd: number,
): NebulaFacts["money"] {
  const runs = phases.flatMap((phase) => phase.runs);
  const reserved = phases.reduce((sum, { money }) => sum + money.reservedUsd, 0);
  return {
    ...moneyOf(total, runs, { maxUsd, reservedUsd: exactUsd(reserved) }),
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
