import { upToCent } from "@quasar/runs/internal";
import { budget, money } from "@quasar/runs/text";
import type { NebulaSpec, PhaseSpec } from "../spec/types.ts";
import { type NebulaCost, NOTHING } from "../state/cost.ts";
import type { NebulaState, PhaseState } from "../state/state.ts";
import type { EngineLimits } from "../context/context.ts";
import { type Phase, phasesOf, readyPhases } from "../state/schedule.ts";

// What phases may spend: pure. All amounts are in US dollars.

/** The share of its limit with which a phase begins at least, and that is kept for its rework until it has landed. */
const SHARE = 1 / 5;

/** Less than this buys no turn. */
export const LEAST_USD = 0.01;

/** How far two amounts may be apart and be the same: sums of decimal fractions are. */
const TOLERANCE_USD = 1e-7;

/** What the budgets of phases follow from. */
export interface BudgetFacts {
  readonly spec: NebulaSpec;
  readonly limits: EngineLimits;
  readonly state: Pick<NebulaState, "phases">;
  /** Computed from the ledgers of all runs, never added up: a crash cannot lose a part of it, nor count one twice. */
  readonly cost: NebulaCost;
}

/** What a phase may spend, over all of its attempts. Infinity: no limit. */
export interface PhaseBudget {
  /** What its runs count as spent. */
  readonly spentUsd: number;
  /** Its own limit. */
  readonly limitUsd: number;
  /** The total, less what is spent by other phases or set apart for them. */
  readonly restOfTotalUsd: number;
  /** With which it begins or continues. */
  readonly leastUsd: number;
  /** What it is to be allowed where that is not there: enough for a turn, and never less. */
  readonly neededUsd: number;
}

export function budgetOf(facts: BudgetFacts, { spec, state }: Phase): PhaseBudget {
  const limitUsd = orNone(limitOf(facts, spec));
  const spentUsd = spentBy(facts, state);
  const leastUsd = state.neededUsd || leastOf(state, { limitUsd, spentUsd });
  // Begun with little more than it has used it would wait again at once.
  const shareUsd = isBegunAgain(state) && Number.isFinite(limitUsd) ? limitUsd * SHARE : 0;
  return {
    ...{ spentUsd, limitUsd, restOfTotalUsd: restOfTotal(facts, state), leastUsd },
    neededUsd: Math.max(leastUsd, upToCent(spentUsd + shareUsd)),
  };
}

/** Whether a phase has had runs, and another one is to begin. */
function isBegunAgain({ status, runs }: PhaseState): boolean {
  return status === "pending" && runs.length > 0;
}

/** What a phase may spend by its files, or else by what the user has set; 0: no limit. */
export function limitOf(
  { spec, limits }: { readonly spec: NebulaSpec; readonly limits: Pick<EngineLimits, "phaseUsd"> },
  { maxBudgetUsd }: PhaseSpec,
): number {
  return maxBudgetUsd ?? spec.execution.maxBudgetUsd ?? limits.phaseUsd;
}

function restOfTotal({ limits, state, cost }: BudgetFacts, { id }: PhaseState): number {
  const others = state.phases.filter((other) => other.id !== id);
  return others.reduce(
    (rest, other) => rest - Math.max(spentBy({ cost }, other), other.reservedUsd),
    orNone(limits.totalUsd),
  );
}

function spentBy({ cost }: Pick<BudgetFacts, "cost">, { id }: PhaseState): number {
  return cost.phases.get(id)?.spentUsd ?? 0;
}

function orNone(usd: number): number {
  return usd === 0 ? Number.POSITIVE_INFINITY : usd;
}

/** A phase begins with a fifth of its limit, and is reworked with whatever it has not spent of it. */
function leastOf(
  { runs }: PhaseState,
  { limitUsd, spentUsd }: Pick<PhaseBudget, "limitUsd" | "spentUsd">,
): number {
  const isNew = runs.length === 0 && Number.isFinite(limitUsd);
  return spentUsd + Math.max(LEAST_USD, isNew ? limitUsd * SHARE : 0);
}

/** The most that all runs of a phase may spend together; 0: no limit. */
export function mostOf({ limitUsd, restOfTotalUsd }: PhaseBudget): number {
  const usd = Math.min(limitUsd, restOfTotalUsd);
  // What is limited never reads as what is not.
  return Number.isFinite(usd) ? Math.max(LEAST_USD, usd) : 0;
}

/** Whether so much is too little for a phase that needs some. */
export function isTooLittle(usd: number, neededUsd: number): boolean {
  return usd < neededUsd - TOLERANCE_USD;
}

/** What stays set apart for a phase once its run is approved: what it has spent, and a share for its rework. */
export function reservedAfterRun(spentUsd: number, { reservedUsd }: PhaseState): number {
  return Math.min(reservedUsd, spentUsd + reservedUsd * SHARE);
}

/** What one run of a phase may spend, in all; 0: no limit. @param othersUsd - What the phase's other runs have spent. */
export function runBudget({ reservedUsd }: PhaseState, othersUsd: number): number {
  return reservedUsd === 0 ? 0 : Math.max(LEAST_USD, reservedUsd - othersUsd);
}

/** A limit that keeps a phase from beginning or continuing. */
export interface Shortage {
  /** The phase's id. */
  readonly phase: string;
  /** Its own limit, that of all phases, or the one for a single turn. */
  readonly limit: "phase" | "total" | "turn";
  /** What that limit has to be at least, in US dollars. */
  readonly neededUsd: number;
  /** What the phase needs, and what it has used, for a person. */
  readonly why: string;
}

/**
 * Which limits are too small for the phases that could begin or continue.
 *
 * @param turnUsdOf - The limit for one turn of a phase; 0: none.
 */
export function shortages(
  facts: BudgetFacts,
  turnUsdOf: (spec: PhaseSpec) => number,
): readonly Shortage[] {
  const open = openPhases(facts).map((phase) => {
    const own = budgetOf(facts, phase);
    const { limitUsd, leastUsd, neededUsd } = own;
    // A limit that is raised is raised to that, and the total has to leave it.
    const ofTotalUsd = isTooLittle(limitUsd, leastUsd) ? neededUsd : leastUsd;
    return { phase, ...own, ofTotalUsd };
  });
  const shortOfTotal = new Map(
    open
      .filter(({ restOfTotalUsd, ofTotalUsd }) => isTooLittle(restOfTotalUsd, ofTotalUsd))
      .map(({ phase, neededUsd }) => [phase.state.id, neededUsd]),
  );
  const neededTotalUsd = facts.state.phases
    .map((each) => Math.max(spentBy(facts, each), each.reservedUsd, shortOfTotal.get(each.id) ?? 0))
    .reduce((sum, usd) => sum + usd, 0);
  return open.flatMap(({ phase, limitUsd, restOfTotalUsd, leastUsd, ofTotalUsd, neededUsd }) => {
    const { spec, state } = phase;
    const turnUsd = orNone(turnUsdOf(spec));
    const { neededTurnUsd } = state;
    const limits = [
      { limit: "phase", usd: limitUsd, leastUsd, neededUsd },
      { limit: "total", usd: restOfTotalUsd, leastUsd: ofTotalUsd, neededUsd: neededTotalUsd },
      { limit: "turn", usd: turnUsd, leastUsd: neededTurnUsd, neededUsd: neededTurnUsd },
    ] as const;
    const short = limits.filter(({ usd, leastUsd: atLeast }) => isTooLittle(usd, atLeast));
    if (short.length === 0) return [];
    const why = whyShort(facts, phase);
    return short.map(({ limit, neededUsd: usd }) => {
      return { phase: state.id, limit, neededUsd: upToCent(usd), why };
    });
  });
}

/** Those that wait for a limit, and those that could begin. */
function openPhases({ spec, state }: BudgetFacts): readonly Phase[] {
  const phases = phasesOf(spec, state);
  const ready = [...readyPhases(phases, new Set())];
  return [
    ...phases.filter((phase) => waitsForBudget(phase.state)),
    ...ready.filter((phase) => phase.state.status === "pending"),
  ];
}

/** Whether a phase has stopped until a limit is larger. */
export function waitsForBudget({ status, question }: PhaseState): boolean {
  return status === "awaiting_human" && question === "budget";
}

/** Why a phase waits for a larger limit, for a person: what it needs, and what it has used. */
export function whyShort(facts: BudgetFacts, phase: Phase): string {
  const { limitUsd, restOfTotalUsd, leastUsd, neededUsd } = budgetOf(facts, phase);
  const { id, neededTurnUsd } = phase.state;
  const spending = facts.cost.phases.get(id) ?? NOTHING;
  const cost = `cost ${budget(spending, Number.isFinite(limitUsd) ? limitUsd : 0)}`;
  const [needed, rest] = [money(neededUsd), money(Math.max(0, restOfTotalUsd))];
  const isLimitShort = isTooLittle(limitUsd, leastUsd);
  const isTotalShort = !isLimitShort && isTooLittle(restOfTotalUsd, leastUsd);
  const needs = [
    isLimitShort && `needs a limit of ${needed} to continue`,
    isTotalShort && `needs ${needed} to continue, and the total budget leaves it ${rest}`,
    neededTurnUsd > 0 && `its next turn needs a limit of ${money(neededTurnUsd)} for one turn`,
  ];
  return [...needs.filter((need) => need !== false), cost].join("; ");
}
