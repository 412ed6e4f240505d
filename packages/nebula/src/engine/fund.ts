import { firstCycleBudget, spendingIn, upToCent } from "@quasar/runs/internal";
import { nebulaCost, sumOf } from "../state/cost.ts";
import { runsFolder } from "../state/home.ts";
import { report } from "../state/report.ts";
import type { PhaseState } from "../state/state.ts";
import {
  type BudgetFacts,
  type PhaseBudget,
  budgetOf,
  isTooLittle,
  LEAST_USD,
  mostOf,
  runBudget,
  shortages,
  waitsForBudget,
  whyShort,
} from "./budget.ts";
import type { NeededByRun } from "../context/came.ts";
import type { Engine } from "../context/context.ts";
import { type Phase, phasesOf } from "../state/schedule.ts";
import { firstTaskText } from "./task-text.ts";

/**
 * What is set apart for a phase that begins, in US dollars; 0: it has no limit. `undefined`: too little is left for it.
 * Where that is its own limit it waits for a larger one.
 */
export async function fundsOf(engine: Engine, phase: Phase): Promise<number | undefined> {
  const own = withFirstCycle(engine, phase, budgetOf(await factsOf(engine), anew(phase)));
  if (isTooLittle(own.limitUsd, own.leastUsd)) {
    await waitForBudget(engine, phase.state, { neededUsd: own.neededUsd, neededTurnUsd: 0 });
    return undefined;
  }
  if (!isTooLittle(own.restOfTotalUsd, own.leastUsd)) return mostOf(own);
  const { id, neededUsd } = phase.state;
  if (neededUsd !== own.leastUsd) engine.store.keep(id, { neededUsd: own.leastUsd });
  return undefined;
}

/** What its first run has needed before may be another amount by now. */
function anew({ spec, state }: Phase): Phase {
  return state.runs.length > 0 ? { spec, state } : { spec, state: { ...state, neededUsd: 0 } };
}

/** A phase begins with what its first cycle needs, unless its own limit is less; again with the rest of its limit, and needs as much. */
function withFirstCycle(engine: Engine, { spec, state }: Phase, own: PhaseBudget): PhaseBudget {
  const cycleUsd = ofFirstCycle(engine, spec);
  if (state.runs.length > 0) {
    return { ...own, neededUsd: Math.max(own.neededUsd, upToCent(own.spentUsd + cycleUsd)) };
  }
  const leastUsd = Math.max(own.leastUsd, Math.min(own.limitUsd, cycleUsd));
  return { ...own, leastUsd, neededUsd: leastUsd };
}

function ofFirstCycle({ spec: nebula, optionsOf }: Engine, spec: Phase["spec"]): number {
  const task = firstTaskText(nebula, spec);
  return firstCycleBudget({ ...optionsOf(spec, nebula), runId: NO_RUN, task });
}

/**
 * What a phase that has failed needs in all, in US dollars, so that another run of it begins with a whole cycle; 0 where
 * its runs cannot be read, of which it may have failed.
 */
export async function neededForRetry(engine: Engine, { spec, state }: Phase): Promise<number> {
  const spentUsd = await spentByPhase(engine, state).catch(() => undefined);
  return spentUsd === undefined ? 0 : upToCent(spentUsd + ofFirstCycle(engine, spec));
}

/** In place of the id of a run that has not begun. */
const NO_RUN = "none";

/**
 * Has a run that was cut off continue with what its phase may spend by now: more or less than it had, as the limits are
 * now, and never less than it has spent.
 */
export async function fundAgain(engine: Engine, phase: Phase): Promise<void> {
  const { id, reservedUsd } = phase.state;
  const budget = budgetOf(await factsOf(engine), phase);
  const mostUsd = mostOf(budget);
  const fundsUsd = mostUsd === 0 ? 0 : Math.max(mostUsd, budget.spentUsd);
  if (fundsUsd !== reservedUsd) engine.store.keep(id, { reservedUsd: fundsUsd });
}

/** What the current run of a phase may spend in all, in US dollars; 0: no limit. */
export async function budgetOfRun(
  engine: Pick<Engine, "home">,
  phase: PhaseState,
): Promise<number> {
  return runBudget(phase, await spentBefore(engine, phase));
}

/**
 * Has a phase whose run was stopped by a limit wait until that is larger.
 *
 * @returns Whether a larger one helps.
 */
export async function waitForLargerLimit(
  engine: Engine,
  { id }: PhaseState,
  { maxBudgetUsd, maxTurnBudgetUsd: neededTurnUsd }: NeededByRun,
): Promise<boolean> {
  if (maxBudgetUsd === 0 && neededTurnUsd === 0) return false;
  const phase = engine.store.phase(id);
  const othersUsd = await spentBefore(engine, phase);
  // More than it had: with the same it would be stopped again.
  const runUsd = Math.max(maxBudgetUsd, runBudget(phase, othersUsd) + LEAST_USD);
  const neededUsd = maxBudgetUsd === 0 ? 0 : upToCent(othersUsd + runUsd);
  await waitForBudget(engine, phase, { neededUsd, neededTurnUsd });
  return true;
}

async function waitForBudget(
  engine: Engine,
  state: PhaseState,
  needed: Pick<PhaseState, "neededUsd" | "neededTurnUsd">,
): Promise<void> {
  const { id } = state;
  const facts = await factsOf(engine);
  const [phase] = phasesOf(facts.spec, { phases: [{ ...state, ...needed }] });
  if (phase === undefined) return;
  const reason = whyShort(facts, phase);
  const waiting = { status: "awaiting_human", question: "budget", reason, ...needed } as const;
  report(engine, id, waiting, { type: "phase_waits", phase: id, reason });
}

/** Has phases continue whose limits are what they need by now. */
export async function continueFunded(engine: Engine): Promise<void> {
  const { store, spec, optionsOf } = engine;
  const waiting = phasesOf(spec, store.current).filter(({ state }) => waitsForBudget(state));
  if (waiting.length === 0) return;
  // Ledgers of large nebulae are many, and this is asked each second.
  const { cost } = await factsOf(engine);
  for (const phase of waiting) {
    const { id, runId, findings } = phase.state;
    const facts = { spec, limits: engine.limits, state: store.current, cost };
    const turnUsdOf = (of: Phase["spec"]) => optionsOf(of, spec).maxTurnBudgetUsd ?? 0;
    if (shortages(facts, turnUsdOf).some((each) => each.phase === id)) continue;
    const status = runId === "" ? "pending" : "running";
    const reservedUsd = mostOf(budgetOf(facts, phase));
    const funds = { neededUsd: 0, neededTurnUsd: 0, reservedUsd } as const;
    const funded = { status, question: "", reason: findings[0] ?? "", ...funds } as const;
    report(engine, id, funded, { type: "phase_funded", phase: id });
  }
}

/** What all runs of a phase count as spent. */
export async function spentByPhase({ home }: Engine, { ref }: PhaseState): Promise<number> {
  return sumOf((await spendingIn(runsFolder(home, ref))).values()).spentUsd;
}

/** The same of those before its current one. */
async function spentBefore(
  { home }: Pick<Engine, "home">,
  { ref, runId }: PhaseState,
): Promise<number> {
  const runs = new Map(await spendingIn(runsFolder(home, ref)));
  runs.delete(runId);
  return sumOf(runs.values()).spentUsd;
}

async function factsOf({ repository, store, spec, limits }: Engine): Promise<BudgetFacts> {
  const state = store.current;
  return { spec, limits, state, cost: await nebulaCost(repository.commonDir, state) };
}
