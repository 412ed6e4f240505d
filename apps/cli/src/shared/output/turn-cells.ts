import type { TurnSummary } from "@quasar/runs";
import { cleanLine, money } from "@quasar/runs/text";
import type { Align } from "./table.ts";

/** How a turn ended, in a word. */
export const TURN_ENDS: Readonly<Record<TurnSummary["status"], string>> = {
  settled: "done",
  failed: "failed",
  lost: "killed",
  open: "open",
};

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

const SOURCES: Readonly<Record<TurnSummary["source"], string>> = {
  reported: "reported by the agent",
  computed: "from the price list",
  partial: "partly known",
  unknown: "unknown",
  "": "not finished yet",
};

export const COST_HEAD: readonly string[] = [...TURN_HEAD, "counts", "unknown", ""];
export const COST_ALIGN: readonly Align[] = [...TURN_ALIGN, "right", "right", "left"];

/** What a turn has cost, and who says so: cells of a table. */
export function costCells(
  turn: Pick<
    TurnSummary,
    "turnId" | "role" | "cycle" | "attempt" | "status" | "costUsd" | "unknownUsd" | "source"
  >,
): string[] {
  return [
    ...turnCells(turn),
    turn.status === "open" ? "" : money(turn.costUsd),
    turn.unknownUsd > 0 ? money(turn.unknownUsd) : "",
    SOURCES[turn.source],
  ];
}

/** Of `<run>.<n>` what tells the turns of a run apart. */
export function shortId(turnId: string): string {
  return cleanLine(turnId.slice(turnId.lastIndexOf(".") + 1));
}
