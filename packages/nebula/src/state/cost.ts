import { type RunSpending, spendingIn } from "@quasar/runs/internal";
import { nebulaHome, runsFolder } from "./home.ts";
import type { NebulaState, PhaseState } from "./state.ts";

/** What a nebula counts against its limits, as the ledgers of its runs have it. */
export interface NebulaCost {
  readonly total: RunSpending;
  /** By the phase's id, all of its runs together. */
  readonly phases: ReadonlyMap<string, RunSpending>;
}

/** @param commonDir - The git folder that all work trees share. */
export async function nebulaCost(
  commonDir: string,
  { id, phases: all }: Pick<NebulaState, "id" | "phases">,
): Promise<NebulaCost> {
  const home = nebulaHome(commonDir, id);
  const phases = new Map<string, RunSpending>();
  for (const phase of all) {
    const hasRuns = phase.runs.length > 0;
    const runs = hasRuns ? await spendingIn(runsFolder(home, phase.ref)) : new Map();
    phases.set(phase.id, sumOf(runs.values()));
  }
  return { total: sumOf(phases.values()), phases };
}

/** The cost of a phase that other machines work on, as far as its state has it: of a run that works it does not say. */
export function recordedCost({
  runs,
  costs = {},
}: Pick<PhaseState, "runs" | "costs">): RunSpending {
  const sum = sumOf(Object.values(costs));
  return runs.every((run) => costs[run] !== undefined) ? sum : { ...sum, hasUnreportedCosts: true };
}

export const NOTHING: RunSpending = { spentUsd: 0, unknownUsd: 0, hasUnreportedCosts: false };

/** What several runs count together. */
export function sumOf(runs: Iterable<RunSpending>): RunSpending {
  return [...runs].reduce(
    (sum, run) => ({
      spentUsd: sum.spentUsd + run.spentUsd,
      unknownUsd: sum.unknownUsd + run.unknownUsd,
      hasUnreportedCosts: sum.hasUnreportedCosts || run.hasUnreportedCosts,
    }),
    NOTHING,
  );
}
