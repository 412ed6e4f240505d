import { ancestryOf, graphOf } from "../spec/graph.ts";
import { planOrder } from "../spec/order.ts";
import { findOverlaps, type Overlap } from "../spec/overlaps.ts";
import { type PhaseSettings, settingsOf, type UserSettings } from "../spec/settings.ts";
import { type TrustRequest, trustRequests } from "../spec/trust.ts";
import type { Execution, NebulaSpec, PhaseSpec } from "../spec/types.ts";

/** What a plan depends on beside the nebula's files. */
export interface PlanFacts {
  readonly user: UserSettings;
  /** Whether the commit at which it would begin has submodules. */
  readonly hasSubmodules: boolean;
}

export interface PlannedPhase {
  readonly phase: PhaseSpec;
  readonly settings: PhaseSettings;
  /** From 1: it waits for phases of earlier waves only. */
  readonly wave: number;
}

/** What working on a nebula would mean. The same files and facts give the same plan. */
export interface NebulaPlan {
  /** In the order in which they start where nothing else decides. */
  readonly phases: readonly PlannedPhase[];
  /** The most phases of which each waits for the one before. */
  readonly criticalPath: readonly PhaseSpec[];
  readonly waveCount: number;
  readonly cost: PlannedCost;
  /** Whether something has to pass before any phase lands. */
  readonly isVerified: boolean;
  readonly asks: readonly TrustRequest[];
  /** Pairs that may change the same files, which the nebula allows: they are not worked on at once. */
  readonly overlaps: readonly Overlap[];
  /** Submodules are empty in a new work tree, and nothing fills them. */
  readonly hasEmptySubmodules: boolean;
}

export interface PlannedCost {
  /** The sum of what each phase may cost; `undefined`: one of them has no limit. */
  readonly capsUsd: number | undefined;
  /** What all may cost; `undefined`: no limit. */
  readonly totalUsd: number | undefined;
  /** Whether the nebula or the user's cap says what all may cost; else it is the sum. */
  readonly isTotalGiven: boolean;
  /** Whether it is the user's cap, since the nebula's files ask for more. */
  readonly isTotalCapped: boolean;
  /** What they ask for, or a person has typed; `undefined`: no limit. */
  readonly askedUsd: number | undefined;
}

/** Plans a nebula: in which order, at which cost, and what it asks for. */
export function planNebula(spec: NebulaSpec, { user, hasSubmodules }: PlanFacts): NebulaPlan {
  const { phases, execution } = spec;
  const ancestry = ancestryOf(graphOf(phases));
  const place = new Map(phases.map((phase, at) => [phase, at]));
  const { order, waves, criticalPath } = planOrder(phases);
  const waveOf = new Map(waves.flatMap((wave, at) => wave.map((phase) => [phase, at + 1])));
  const planned = order.map((phase): PlannedPhase => {
    const upstream = ancestry.upstream(place.get(phase) ?? 0);
    const settings = settingsOf(phase, execution, user, upstream);
    return { phase, settings, wave: waveOf.get(phase) ?? 1 };
  });
  const isSetUp = planned.every(({ settings }) => settings.setup.length > 0);
  return {
    phases: planned,
    criticalPath,
    waveCount: waves.length,
    cost: costOf(planned, execution, user),
    isVerified:
      execution.verify.length > 0 || planned.every(({ settings }) => settings.checks.length > 0),
    asks: trustRequests(spec),
    overlaps: findOverlaps(phases, ancestry),
    hasEmptySubmodules: hasSubmodules && !isSetUp,
  };
}

function costOf(
  phases: readonly PlannedPhase[],
  { totalBudgetUsd: given, isTotalTyped }: Execution,
  { maxTotalUsd = 0 }: UserSettings,
): PlannedCost {
  const caps = phases.map(({ settings }) => settings.maxBudgetUsd);
  // In cents of a cent: a sum of decimal fractions says what it adds up to.
  const sum = Math.round(caps.reduce((total, cap) => total + cap, 0) * 10_000) / 10_000;
  const capsUsd = caps.includes(0) ? undefined : sum;
  const askedUsd = given ?? capsUsd;
  const isFree = isTotalTyped === true || maxTotalUsd === 0;
  const isTotalCapped = !isFree && (askedUsd ?? Number.POSITIVE_INFINITY) > maxTotalUsd;
  return {
    ...{ capsUsd, askedUsd, isTotalCapped },
    totalUsd: isTotalCapped ? maxTotalUsd : askedUsd,
    isTotalGiven: given !== undefined || isTotalCapped,
  };
}
