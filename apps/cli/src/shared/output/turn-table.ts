import type { TurnSummary } from "@quasar/runs";
import { cleanLine, duration, money, moment } from "@quasar/runs/text";
import { type Align, tableLines } from "./table.ts";
import type { View } from "./text.ts";
import { TURN_ALIGN, TURN_HEAD, turnCells } from "./turn-cells.ts";

/** The turns of a run, or of the runs of a task; the latter have `run`. */
export function turnTable(
  turns: readonly (TurnSummary & { readonly run?: string | undefined })[],
  view: View,
): string[] {
  if (turns.length === 0) return [];
  const rows = turns.map((turn) => [
    turn.run ?? "",
    ...turnCells(turn),
    turn.durationMs === undefined ? "" : duration(turn.durationMs),
    turn.status === "open" ? "" : money(turn.costUsd),
    turn.startedAt === "" ? "" : cleanLine(moment(turn.startedAt)),
  ]);
  const align: readonly Align[] = ["left", ...TURN_ALIGN, "right", "right", "left"];
  return tableLines(["run", ...TURN_HEAD, "took", "cost", "began"], rows, align, view);
}
