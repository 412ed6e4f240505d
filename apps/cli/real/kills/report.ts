import type { Difference } from "./judge.ts";
import type { Observed } from "./observe.ts";
import { type Kill, VICTIMS } from "./table.ts";

/** What came of a kill. */
export interface Outcome {
  readonly kill: Kill;
  readonly differences: readonly Difference[];
  /** `undefined`: it could not be made. */
  readonly observed: Observed | undefined;
  readonly seconds: number;
}

/** Agents, turns and points by victims: what was the same, and which laws were broken. */
export function tableOf(outcomes: readonly Outcome[]): readonly string[] {
  const rows = Map.groupBy(outcomes, ({ kill }) => `${kill.agent} | ${kill.turn} | ${kill.point}`);
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  const columns = ["agent", "turn", "point", ...VICTIMS];
  return [
    line(columns),
    line(columns.map(() => "---")),
    ...[...rows].map(([row, all]) =>
      line([
        row,
        ...VICTIMS.map((victim) => cellOf(all.find(({ kill }) => kill.victim === victim))),
      ]),
    ),
  ];
}

function cellOf(outcome: Outcome | undefined): string {
  if (outcome === undefined) return "-";
  const laws = new Set(outcome.differences.map(({ law }) => law));
  return laws.size === 0 ? "same" : [...laws].join(", ");
}
