import type { RunFacts, TurnFacts } from "@quasar/runs/facts";
import type { ReportData } from "../report-data.ts";

/** A run of a report, and the phase that it is of. */
export interface RunOf {
  /** `""`: the report is of this run. */
  readonly phase: string;
  readonly run: RunFacts;
}

/** A turn of a report. */
export interface TurnOf {
  readonly phase: string;
  readonly turn: TurnFacts;
}

/** All runs of a report: of a nebula in the order of the plan. */
export function runsOf(data: ReportData): readonly RunOf[] {
  if (data.kind === "run") return [{ phase: "", run: data.run }];
  return data.nebula.phases.flatMap(({ id, runs }) => runs.map((run) => ({ phase: id, run })));
}

/** All turns that have a name of their own, in the order in which they began. */
export function turnsOf(data: ReportData): readonly TurnOf[] {
  const turns = runsOf(data).flatMap(({ phase, run }) =>
    run.turns.filter(({ turnId }) => turnId !== "").map((turn) => ({ phase, turn })),
  );
  return turns.toSorted((one, other) => timeOf(one) - timeOf(other));
}

function timeOf({ turn }: TurnOf): number {
  return timeMs(turn.startedAt) ?? 0;
}

/** Milliseconds since 1970 of an RFC 3339 time; `undefined`: unknown. */
export function timeMs(rfc3339: string): number | undefined {
  const ms = Date.parse(rfc3339);
  return Number.isNaN(ms) ? undefined : ms;
}
