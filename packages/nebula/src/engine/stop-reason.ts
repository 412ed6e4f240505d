import type { StopReason } from "../events.ts";
import { isInLane, isSettled, type NebulaState } from "../state/state.ts";
import { waitsForBudget } from "./budget.ts";
import type { LandingsOnly } from "../context/context.ts";

/** What an engine has met that its nebula's state does not say. */
export interface Standing {
  readonly isStopping: boolean;
  /** Whether no phase began since one had failed. */
  readonly isFailing: boolean;
  readonly isBlocked: boolean;
  readonly isRed: boolean;
  readonly isLimited: boolean;
  /** Why nothing lands. */
  readonly obstacle: string | undefined;
  /** Where it had nobody work. */
  readonly landingsOnly: LandingsOnly | undefined;
  /** Ids of the phases whose turn to land it was. */
  readonly asked: ReadonlySet<string>;
}

/** Why an engine that nothing cut off has stopped. */
export function stopReason(
  { phases }: Pick<NebulaState, "phases">,
  { isStopping, isFailing, isBlocked, isRed, isLimited, obstacle, landingsOnly, asked }: Standing,
): StopReason {
  if (isStopping && !phases.every(isSettled)) return "interrupted";
  if (phases.every(({ status }) => status === "done")) return "done";
  if (landingsOnly !== undefined) return landedReason(phases, landingsOnly, asked);
  if (isFailing) return "failed";
  if (isRed) return "red_base";
  const waiting = phases.filter(({ status }) => status === "awaiting_human");
  if (obstacle !== undefined || !waiting.every(waitsForBudget)) return "waiting";
  if (phases.every(isSettled)) return "failed";
  if (isBlocked || waiting.length > 0) return "budget";
  return isLimited ? "limit" : "waiting";
}

function landedReason(
  phases: NebulaState["phases"],
  { phase }: LandingsOnly,
  asked: ReadonlySet<string>,
): StopReason {
  const meant = phases.filter(({ id }) => (phase ?? id) === id);
  const isLeft = meant.some(
    (each) => isInLane(each) || (asked.has(each.id) && each.status !== "done"),
  );
  return isLeft ? "waiting" : "landed";
}
