import type { TurnSummary } from "@quasar/runs";
import { shortId, TURN_ENDS } from "@quasar/runs/words";

/** The names of the cells below. */
export const TURN_HEAD: readonly string[] = ["turn", "role", "cycle", "attempt", "end"];
export const TURN_ALIGN = ["right", "left", "right", "right", "left"] as const;

/** What tells a turn from the others of its run: cells of a table. */
export function turnCells({
  turnId,
  role,
  cycle,
  attempt,
  status,
}: Pick<TurnSummary, "turnId" | "role" | "cycle" | "attempt" | "status">): string[] {
  if (turnId === "") return ["…", "earlier", "", "", TURN_ENDS[status]];
  return [shortId(turnId), role, `${cycle}`, attempt > 1 ? `${attempt}` : "", TURN_ENDS[status]];
}
