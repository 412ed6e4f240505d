import type { CheckpointLedgerEntry, CheckpointTurn } from "@quasar/checkpoint";
import type { AgentResult, AgentRole } from "@quasar/agents";
import type { CycleState } from "../state.ts";
import { mostOfTurn, type TurnLimits } from "./open-turn.ts";

type Limits = Pick<CycleState, "totalCostUsd" | "maxBudgetUsd" | "maxCycles">;

/** Whether all that may be spent is spent. Without a limit it never is. */
export function isOverBudget({ totalCostUsd, maxBudgetUsd }: Limits): boolean {
  return maxBudgetUsd > 0 && totalCostUsd >= maxBudgetUsd;
}

/** The share of the whole budget that no coder's turn may spend: it is kept for the review. */
const REVIEW_SHARE = 0.1;

/**
 * What a turn may spend, in US dollars: a reviewer's what is left of the budget, a coder's that less a
 * tenth of the whole.
 *
 * @param maxTurnBudgetUsd - Caps it further; 0 does not.
 * @returns 0: no limit.
 */
export function turnAllowance(
  { totalCostUsd, maxBudgetUsd }: Pick<Limits, "totalCostUsd" | "maxBudgetUsd">,
  role: AgentRole,
  maxTurnBudgetUsd: number = 0,
): number {
  if (maxBudgetUsd === 0) return maxTurnBudgetUsd;
  const kept = role === "coder" ? maxBudgetUsd * REVIEW_SHARE : 0;
  const left = Math.max(NOTHING_USD, maxBudgetUsd - totalCostUsd - kept);
  return maxTurnBudgetUsd === 0 ? left : Math.min(left, maxTurnBudgetUsd);
}

/** As little as can be told from 0, which is no limit. */
const NOTHING_USD = 1e-9;

/**
 * How far two amounts may be apart and be the same: more than {@link upToCent} takes away, so that a
 * figure rounded up is always enough.
 */
const TOLERANCE_USD = 1e-7;

/** How many response bounds a turn has to be allowed, so that it is started. */
const BOUNDS_OF_A_TURN = 2;

/** Whether a turn would be stopped before it gets anywhere. */
export function isTooLittle(allowanceUsd: number, boundUsd: number | undefined): boolean {
  if (allowanceUsd === 0) return false;
  return allowanceUsd <= NOTHING_USD || allowanceUsd < leastAllowance(boundUsd) - TOLERANCE_USD;
}

/** What a turn has to be allowed at least, in US dollars; 0 where its responses have no known bound. */
export function leastAllowance(boundUsd: number | undefined): number {
  return BOUNDS_OF_A_TURN * (boundUsd ?? 0);
}

/** How many times what its review is known to need before a coder's turn is kept for it: its prompt has what that reports. */
const REVIEW_GROWTH = 1.1;

function keptForReview(boundUsd: number | undefined): number {
  return REVIEW_GROWTH * leastAllowance(boundUsd);
}

/**
 * What a coder's turn may spend so that the review after it can begin, in US dollars: no less than it has to be allowed
 * itself.
 *
 * @param allowanceUsd - What it may spend by the budget.
 * @param boundsUsd - Of a response, by role. Where one is not known nothing more is kept.
 */
export function allowanceBeforeReview(
  { totalCostUsd, maxBudgetUsd }: Pick<Limits, "totalCostUsd" | "maxBudgetUsd">,
  allowanceUsd: number,
  { coder, reviewer }: Bounds,
): number {
  if (maxBudgetUsd === 0 || coder === undefined || reviewer === undefined) return allowanceUsd;
  const left = maxBudgetUsd - totalCostUsd - keptForReview(reviewer);
  return Math.min(allowanceUsd, Math.max(leastAllowance(coder), left));
}

/** A bound of a response of which a turn has to be allowed so much. */
export function boundFor(leastUsd: number): number {
  return leastUsd / BOUNDS_OF_A_TURN;
}

/** The least that a turn is taken to cost: with nothing it would not be started. */
const LEAST_TURN_USD = 0.01;

/**
 * The budget with which the turns that are next get through, in US dollars, rounded up to the cent: each
 * of them costs at most what one of its role has cost so far, and no less than it has to be allowed. A review that
 * follows a coder's turn can begin whatever that costs.
 *
 * @param roles - Of the turns that are to come, in their order.
 * @param boundsUsd - Of a response, by role.
 */
export function neededBudget(
  state: Limits & Pick<CycleState, "ledger">,
  roles: readonly AgentRole[],
  boundsUsd: Bounds,
): number {
  let [spent, needed] = [state.totalCostUsd, 0];
  for (const role of roles) {
    spent += Math.max(
      LEAST_TURN_USD,
      roles.length > 1 && role === "reviewer"
        ? keptForReview(boundsUsd[role])
        : leastAllowance(boundsUsd[role]),
      dearestTurn(state.ledger, role) ?? state.maxBudgetUsd / (2 * state.maxCycles),
    );
    needed = Math.max(needed, role === "coder" ? spent / (1 - REVIEW_SHARE) : spent);
  }
  return upToCent(needed);
}

/** The budget of which a coder's turn may spend so much, in US dollars, rounded up to the cent. */
export function budgetFor(allowanceUsd: number): number {
  return upToCent(allowanceUsd / (1 - REVIEW_SHARE));
}

/** How many times what a turn could spend it is offered next, where that was too little. */
export const MORE = 2;

/**
 * The budget with which a turn that was stopped may spend {@link MORE}, in US dollars, rounded up to the cent.
 *
 * @param reviewUsd - Bound of a response of the review after it.
 */
export function budgetForMore(
  { totalCostUsd }: Pick<Limits, "totalCostUsd">,
  { role, allowanceUsd }: Pick<CheckpointTurn, "role" | "allowanceUsd">,
  reviewUsd?: number,
): number {
  const spent = totalCostUsd + MORE * allowanceUsd;
  if (role === "reviewer") return upToCent(spent);
  return upToCent(Math.max(spent / (1 - REVIEW_SHARE), spent + keptForReview(reviewUsd)));
}

function dearestTurn(
  ledger: readonly CheckpointLedgerEntry[],
  wanted: AgentRole,
): number | undefined {
  const costs = ledger
    .filter(({ turnId, role }) => turnId !== "" && role === wanted)
    .map(({ costUsd }) => costUsd);
  return costs.length === 0 ? undefined : Math.max(...costs);
}

/**
 * What turns count with of which nothing is ever learned, in US dollars; 0 without a limit. They may have
 * cost more.
 */
export function reservation(
  { totalCostUsd, maxBudgetUsd, maxCycles }: Limits,
  turns: number = 1,
): number {
  const share = maxBudgetUsd / (2 * maxCycles);
  return Math.max(0, Math.min(maxBudgetUsd - totalCostUsd, turns * share));
}

/** The most that one response of an agent may cost, by its role, where that is known. */
export type Bounds = Readonly<Partial<Record<AgentRole, number | undefined>>>;

/**
 * What turns count with of which nothing but their number is left: all that they were allowed to spend, so that
 * no less is counted than was billed. Without a budget a response bound each; where no bound is known, and
 * nothing holds an agent to its limit, a reservation each.
 *
 * @param roles - Who may have taken them: of several the dearer.
 */
export function lostCost(
  state: Limits,
  boundsUsd: Bounds,
  roles: readonly AgentRole[],
  turns: number = 1,
): Cost {
  const known = roles.map((role) => boundsUsd[role]).filter((usd) => usd !== undefined);
  if (known.length < roles.length) return unknownCost(reservation(state, turns));
  if (state.maxBudgetUsd === 0) return unknownCost(turns * Math.max(...known));
  return unknownCost(Math.max(...roles.map((role) => turnAllowance(state, role))));
}

/** What a turn is counted with, in US dollars. */
export interface Cost {
  readonly source: AgentResult["costSource"];
  readonly totalUsd: number;
  /** How much of it is reserved only: it may have cost so much less. */
  readonly unknownUsd: number;
}

/**
 * The cost of a turn that was begun and whose end is never learned: all that it was allowed to spend, so that
 * no less is counted than was billed. Where its agent knows no bound of a response, nothing holds it to that,
 * and what was reserved counts.
 */
export function unlearnedCost(turn: TurnLimits | undefined, isBounded: boolean): Cost {
  if (turn === undefined) return unknownCost(0);
  return unknownCost(isBounded ? mostOfTurn(turn) : turn.reservedUsd);
}

/** The cost of a turn of which nothing is known: all that was reserved for it. */
export function unknownCost(reservedUsd: number): Cost {
  return { source: "unknown", totalUsd: reservedUsd, unknownUsd: reservedUsd };
}

/**
 * A cost that its agent does not know whole counts with what the agent says that may be missing; where it
 * cannot say that either, with what was reserved.
 */
export function settledCost(
  { costUsd, costSource, unknownUsd }: Pick<AgentResult, "costUsd" | "costSource" | "unknownUsd">,
  reservedUsd: number,
): Cost {
  const missing = isAmount(unknownUsd) ? unknownUsd : undefined;
  if (!isAmount(costUsd) || costSource === "unknown") return unknownCost(missing ?? reservedUsd);
  const isWhole = costSource !== "partial";
  const rest = isWhole ? 0 : (missing ?? Math.max(0, reservedUsd - costUsd));
  return { source: costSource, totalUsd: costUsd + rest, unknownUsd: rest };
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

/** To the cent; what is more than nothing never reads as nothing. */
export function dollars(usd: number): string {
  return usd > 0 && usd < 0.005 ? LESS_THAN_A_CENT : `$${usd.toFixed(2)}`;
}

const LESS_THAN_A_CENT = "<$0.01";

/** An amount that is needed: rounded up, so that who gives what is shown gives enough. */
export function dollarsNeeded(usd: number): string {
  return dollars(upToCent(usd));
}

/** An amount that may be spent: rounded down, so that it never reads as more. */
export function dollarsAllowed(usd: number): string {
  const cents = Math.floor(usd * 100 + ROUNDING);
  return usd > 0 && cents === 0 ? LESS_THAN_A_CENT : dollars(cents / 100);
}

/** US dollars rounded up to the cent, but for what sums of decimal fractions miss. */
export function upToCent(usd: number): number {
  return Math.ceil(usd * 100 - ROUNDING) / 100;
}

const ROUNDING = 1e-6;
