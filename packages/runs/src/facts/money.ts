import { mostOfTurn } from "@quasar/loop/internal";
import type { TurnSummary } from "../look/turns.ts";
import type { RunSummary } from "../look/summary.ts";
import { exactUsd } from "../text/format.ts";
import type { MoneyFacts, ShareFacts } from "./run-facts.ts";
import { SHARE_OF, sumShares } from "./shares.ts";

/** What is in the total, and in no turn: of a checkpoint that another program wrote. */
const NO_TURN = "in no turn";

/** Less is none of an amount. */
const LEAST_USD = 1e-6;

type Spent = Pick<
  RunSummary,
  "spentUsd" | "unknownUsd" | "hasUnreportedCosts" | "costUsd" | "maxBudgetUsd" | "openTurn"
>;

/** What was spent, and by whom: each division adds up to the total. */
export function moneyOf(run: Spent, turns: readonly TurnSummary[]): MoneyFacts {
  const { spentUsd, unknownUsd, hasUnreportedCosts, maxBudgetUsd: maxUsd, openTurn } = run;
  const spending = { spentUsd, unknownUsd, hasUnreportedCosts };
  const total = { knownUsd: run.costUsd, unknownUsd };
  return {
    ...{ ...spending, knownUsd: run.costUsd, maxUsd },
    reservedUsd: openTurn === undefined ? 0 : mostOfTurn(openTurn),
    byRole: shares(turns, total, SHARE_OF.byRole),
    byCycle: shares(turns, total, SHARE_OF.byCycle),
  };
}

function shares(
  turns: readonly TurnSummary[],
  total: Pick<ShareFacts, "knownUsd" | "unknownUsd">,
  nameOf: (turn: TurnSummary) => string,
): readonly ShareFacts[] {
  const told = sumShares(
    turns.map((turn) => {
      const { costUsd, unknownUsd } = turn;
      return { name: nameOf(turn), knownUsd: costUsd - unknownUsd, unknownUsd, turnCount: 1 };
    }),
  );
  const rest = {
    knownUsd: exactUsd(total.knownUsd - sum(told, "knownUsd")),
    unknownUsd: exactUsd(total.unknownUsd - sum(told, "unknownUsd")),
  };
  // Each share was rounded.
  const isAll = [rest.knownUsd, rest.unknownUsd].every((usd) => Math.abs(usd) < LEAST_USD);
  return isAll ? told : [...told, { name: NO_TURN, ...rest, turnCount: 0 }];
}

function sum(all: readonly ShareFacts[], key: "knownUsd" | "unknownUsd"): number {
  return all.reduce((total, each) => total + each[key], 0);
}
