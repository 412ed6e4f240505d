import { complexityOf, tierOf } from "./routing.ts";
import type { Execution, Gate, PhaseSpec } from "./types.ts";

/** What the user has set for all their runs; `undefined`: nothing. */
export interface UserSettings {
  readonly maxReviewCycles?: number | undefined;
  /** 0: no limit. */
  readonly maxBudgetUsd?: number | undefined;
  /** The most that a nebula's files may have all phases cost; 0: whatever they say. */
  readonly maxTotalUsd?: number | undefined;
  readonly model?: string | undefined;
  readonly coder?: string | undefined;
  readonly reviewer?: string | undefined;
  readonly checks?: readonly string[] | undefined;
}

/** How a phase is worked on. */
export interface PhaseSettings {
  readonly maxReviewCycles: number;
  /** 0: no limit. */
  readonly maxBudgetUsd: number;
  /** `undefined`: the agent's own choice. */
  readonly model: string | undefined;
  /** The tier that has chosen the model; `undefined` where somebody named it. */
  readonly tier: string | undefined;
  readonly gate: Gate;
  /** `undefined`: the user has not chosen either. */
  readonly coder: string | undefined;
  readonly reviewer: string | undefined;
  readonly checks: readonly string[];
  readonly setup: readonly string[];
  readonly timeoutMs: number;
}

export const DEFAULT_REVIEW_CYCLES = 3;
export const DEFAULT_BUDGET_USD = 5;
/** Phases that are worked on at once on one machine. */
export const DEFAULT_WORKERS = 2;

/**
 * The settings of a phase: what it says itself, else what its nebula says, else what the user has set. Only where nobody names
 * a model may the nebula's routing choose one.
 *
 * @param upstream - How many phases it waits for, directly or not.
 */
export function settingsOf(
  phase: PhaseSpec,
  execution: Execution,
  user: UserSettings,
  upstream: number,
): PhaseSettings {
  const { routing } = execution;
  const named = phase.model ?? execution.model ?? user.model;
  const isRouted = named === undefined && routing.enabled;
  const tier = isRouted ? tierOf(routing, complexityOf(phase, upstream)) : undefined;
  return {
    maxReviewCycles:
      phase.maxReviewCycles ??
      execution.maxReviewCycles ??
      user.maxReviewCycles ??
      DEFAULT_REVIEW_CYCLES,
    maxBudgetUsd:
      phase.maxBudgetUsd ?? execution.maxBudgetUsd ?? user.maxBudgetUsd ?? DEFAULT_BUDGET_USD,
    model: named ?? tier?.model,
    tier: tier?.name,
    gate: phase.gate ?? execution.gate,
    coder: phase.coder ?? execution.coder ?? user.coder,
    reviewer: phase.reviewer ?? execution.reviewer ?? user.reviewer,
    checks: [phase.checks, execution.checks].find((one) => one.length > 0) ?? user.checks ?? [],
    setup: phase.setup ?? execution.setup,
    timeoutMs: phase.timeoutMs ?? execution.timeoutMs,
  };
}
