import type { TurnSummary } from "@quasar/runs";
import { money } from "@quasar/runs/text";
import { TURN_ENDS } from "@quasar/runs/words";
import { type Align, tableLines } from "./table.ts";
import { labelled, type View } from "./text.ts";
import { TURN_ALIGN, TURN_HEAD, turnCells } from "./turn-cells.ts";

type Source = TurnSummary["source"] | "reserved";

/** Who says what a turn has cost: the letter of its row, and what a line under the table says of that. */
const SOURCES: Readonly<Record<Source, readonly [letter: string, words: string]>> = {
  reported: ["a", "reported by the agent"],
  computed: ["p", "from the price list"],
  partial: ["m", "partly known"],
  unknown: ["u", "unknown"],
  "": ["o", "not finished yet"],
  reserved: ["f", "counted in full until it ends"],
};

/** A turn in a table of costs. */
export interface CostRow {
  /** The run of a task in which it was. @default a run that is no task's */
  readonly step?: string | undefined;
  readonly cells: readonly string[];
  readonly source: Source;
}

/** A turn and what it has cost. */
export function costOfTurn(
  turn: Pick<
    TurnSummary,
    "turnId" | "role" | "cycle" | "attempt" | "status" | "costUsd" | "unknownUsd" | "source"
  >,
): CostRow {
  const cost = turn.status === "open" ? "" : money(turn.costUsd);
  const unknown = turn.unknownUsd > 0 ? money(turn.unknownUsd) : "";
  return { cells: [...turnCells(turn), cost, unknown], source: turn.source };
}

/** A turn that has not ended, of which only what it counts with is known. */
export function costOfOpenTurn(usd: number): CostRow {
  return { cells: ["", "", "", "", TURN_ENDS.open, money(usd), ""], source: "reserved" };
}

const HEAD: readonly string[] = ["step", ...TURN_HEAD, "counts", "unknown", "by"];
const ALIGN: readonly Align[] = ["left", ...TURN_ALIGN, "right", "right", "left"];

/** Turns with what each has cost and who says so, and what all of them count with. */
export function costTable(rows: readonly CostRow[], totalUsd: number, view: View): string[] {
  const cells = rows.map(({ step = "", cells: own, source }) => [step, ...own, SOURCES[source][0]]);
  const name = rows.some(({ step }) => step !== undefined) ? ["total", ""] : ["", "total"];
  const total = [...name, "", "", "", "", money(totalUsd), "", ""];
  const legend = [...new Set(rows.map(({ source }) => SOURCES[source].join(" ")))];
  return [
    ...tableLines(HEAD, rows.length > 1 ? [...cells, total] : cells, ALIGN, view),
    "",
    ...labelled(view, "by", legend.join(", ")),
  ];
}
