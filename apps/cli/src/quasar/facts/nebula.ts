import { type CostEstimate, DEFAULT_WORKERS } from "@quasar/nebula/internal";
import type { NebulaPlan } from "@quasar/nebula/plan";
import type { LoadedNebula, NebulaSpec } from "@quasar/nebula/spec";
import type { RunSpending } from "@quasar/runs/internal";
import type { FirstTurnShortage } from "../nebula/first-turns.ts";
import type { NebulaPlanLine } from "../schemas/nebula.ts";
import { shortageFacts, spendingFacts } from "./nebula-apply.ts";

/** Where a nebula would begin. */
export interface NebulaBase {
  readonly baseSha: string;
  /** The branch that HEAD is on; `undefined`: it is on none, or the nebula has begun. */
  readonly baseBranch: string | undefined;
  /** The branch that it lands on. */
  readonly branch: string;
  /** Changes that are not committed. */
  readonly uncommittedCount: number;
}

/** What is known beside a plan. */
export interface PlanBeside {
  readonly base: NebulaBase;
  readonly short: readonly FirstTurnShortage[];
  /** What it likely costs; `undefined`: nothing says so. */
  readonly estimate: CostEstimate | undefined;
  /** What it has cost by now; `undefined`: it has not begun. */
  readonly spent: RunSpending | undefined;
  /** The files to copy that are not there. */
  readonly missing: readonly string[];
}

/** A plan as `--json` prints it. */
export function nebulaPlanFacts(
  { dir, problems }: Pick<LoadedNebula, "dir" | "problems">,
  spec: NebulaSpec,
  plan: NebulaPlan,
  { base, short, estimate, spent, missing }: PlanBeside,
): Omit<NebulaPlanLine, "v" | "type" | "exit" | "next"> {
  return {
    dir,
    nebula: spec.name,
    ...base,
    isAskedFirst: spec.execution.gate === "approve",
    phases: plan.phases.map(phaseFacts),
    waveCount: plan.waveCount,
    criticalPath: plan.criticalPath.map(({ id }) => id),
    maxWorkers: spec.execution.maxWorkers ?? DEFAULT_WORKERS,
    ...plan.cost,
    estimate,
    ...(spent && spendingFacts(spent)),
    isVerified: plan.isVerified,
    verify: spec.execution.verify,
    copy: spec.execution.copy,
    requiresNebulae: spec.dependencies.requiresNebulae,
    asks: plan.asks.map(({ key, value, files }) => ({
      ...{ setting: key, says: value, inFiles: files },
      exists: key === "copy" ? !missing.includes(value) : undefined,
    })),
    overlaps: plan.overlaps.map(({ phases, patterns }) => ({
      phaseIds: phases.map(({ id }) => id),
      patterns,
    })),
    hasEmptySubmodules: plan.hasEmptySubmodules,
    shortages: short.map(shortageFacts),
    problems,
  };
}

function phaseFacts(planned: NebulaPlan["phases"][number]): NebulaPlanLine["phases"][number] {
  return { ...phaseSettingsFacts(planned), wave: planned.wave };
}

/** What a phase says, and how it is worked on. */
export function phaseSettingsFacts({
  phase,
  settings,
}: NebulaPlan["phases"][number]): Omit<NebulaPlanLine["phases"][number], "wave"> {
  return {
    phaseId: phase.id,
    file: phase.file,
    title: phase.title,
    priority: phase.priority,
    dependsOn: phase.dependsOn,
    scope: phase.scope,
    gate: settings.gate,
    coder: settings.coder ?? "",
    reviewer: settings.reviewer ?? "",
    model: settings.model ?? "",
    tier: settings.tier,
    requiredChecks: settings.checks,
    setup: settings.setup,
    maxCycles: settings.maxReviewCycles,
    maxBudgetUsd: settings.maxBudgetUsd,
    timeoutMs: settings.timeoutMs,
  };
}
