import { readConventions, refuseStart } from "@quasar/loop/internal";
import type { PhaseRunOptions } from "@quasar/nebula";
import { firstTaskText, type Shortage } from "@quasar/nebula/internal";
import type { NebulaPlan, PlannedPhase } from "@quasar/nebula/plan";
import type { NebulaSpec } from "@quasar/nebula/spec";
import { CliError } from "../../shared/errors.ts";

/** A limit with which the first turn of a phase would not be started. */
export interface FirstTurnShortage extends Omit<Shortage, "why"> {
  /** Why, for a person. */
  readonly message: string;
}

/** Where a nebula would begin. */
interface Beginning {
  readonly root: string;
  readonly baseSha: string;
  /** @throws {CliError} where an agent is not installed: then nothing is known of its turns. */
  readonly optionsOf: (phase: PlannedPhase["phase"]) => PhaseRunOptions;
}

/** The phases whose limits are less than a first turn needs, as far as that is known before it begins. */
export async function firstTurnShortages(
  spec: NebulaSpec,
  { phases, cost }: NebulaPlan,
  { root, baseSha, optionsOf }: Beginning,
): Promise<readonly FirstTurnShortage[]> {
  const { text: conventions } = await readConventions(root, baseSha);
  return phases.flatMap(({ phase, settings }) => {
    const options = unlessMissing(() => optionsOf(phase));
    if (options === undefined) return [];
    const limitUsd = settings.maxBudgetUsd || Number.POSITIVE_INFINITY;
    const budgetUsd = Math.min(limitUsd, cost.totalUsd ?? Number.POSITIVE_INFINITY);
    const refusal = refuseStart({
      ...{ ...options, conventions, workTree: root, runId: "plan" },
      task: firstTaskText(spec, phase),
      maxBudgetUsd: Number.isFinite(budgetUsd) ? budgetUsd : 0,
    });
    if (refusal === undefined) return [];
    const { message, neededBudgetUsd: usd, neededTurnBudgetUsd: turnUsd } = refusal;
    const isTotal = cost.isTotalGiven && usd > (cost.totalUsd ?? usd);
    const needs = [
      { limit: "phase", neededUsd: usd, isShort: usd > limitUsd },
      { limit: "total", neededUsd: usd, isShort: isTotal },
      { limit: "turn", neededUsd: turnUsd, isShort: turnUsd > 0 },
    ] as const;
    return needs
      .filter(({ isShort }) => isShort)
      .map(({ limit, neededUsd }) => ({ phase: phase.id, limit, neededUsd, message }));
  });
}

function unlessMissing<T>(make: () => T): T | undefined {
  try {
    return make();
  } catch (error) {
    if (error instanceof CliError) return undefined;
    throw error;
  }
}
