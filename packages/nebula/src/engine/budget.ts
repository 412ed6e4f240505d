import { spentIn } from "@quasar/runs/tree";
import { runsFolder } from "../state/home.ts";
import type { PhaseState } from "../state/state.ts";
import type { Engine } from "./context.ts";
import type { Phase } from "./schedule.ts";

/** What a phase may spend, in US dollars. 0: no limit. */
export interface Allowance {
  /** Of the run that is to begin. */
  readonly runUsd: number;
  /** What the phase has spent before. */
  readonly spentUsd: number;
}

/** The share of a phase's limit without which it is not begun, and that is kept for its rework until it has landed. */
const SHARE = 1 / 5;

/**
 * What the next run of a phase may spend; `undefined`: too little is left for it, and it waits. Computed from the
 * ledgers of all runs, never added up: a crash cannot lose a part of it, nor count one twice.
 */
export async function allowanceOf(
  engine: Engine,
  { spec, state }: Phase,
): Promise<Allowance | undefined> {
  const { totalUsd, phaseUsd } = engine.limits;
  const capUsd = spec.maxBudgetUsd ?? engine.spec.execution.maxBudgetUsd ?? phaseUsd;
  const spentUsd = await spentBy(engine, state);
  if (totalUsd === 0) return { runUsd: capUsd, spentUsd };
  let leftUsd = totalUsd - spentUsd;
  for (const other of engine.store.current.phases) {
    if (other.id === state.id) continue;
    leftUsd -= Math.max(await spentBy(engine, other), other.reservedUsd);
  }
  if (leftUsd <= 0 || leftUsd < capUsd * SHARE) return undefined;
  return { runUsd: capUsd === 0 ? leftUsd : Math.min(capUsd, leftUsd), spentUsd };
}

/** What stays set apart for a phase once its run is approved: what it has spent, and a share for its rework. */
export async function reservedAfterRun(engine: Engine, state: PhaseState): Promise<number> {
  const spentUsd = await spentBy(engine, state);
  return Math.min(state.reservedUsd, spentUsd + state.reservedUsd * SHARE);
}

async function spentBy({ home }: Engine, { ref, runs }: PhaseState): Promise<number> {
  return runs.length === 0 ? 0 : spentIn(runsFolder(home, ref));
}
