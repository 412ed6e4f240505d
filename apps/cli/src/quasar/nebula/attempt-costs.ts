import type { NebulaState } from "@quasar/nebula";
import { standingOf } from "@quasar/nebula/facts";
import {
  nebulaEvents,
  nebulaHome,
  NOTHING_SPENT,
  phaseAttempts,
  runsFolder,
} from "@quasar/nebula/internal";
import { spendingIn } from "@quasar/runs/internal";
import { tableLines } from "../../shared/output/table.ts";
import type { View } from "../../shared/output/text.ts";
import { type NebulaFacts, type SpendingFacts, spendingFacts } from "../facts/nebula-apply.ts";
import { costCell } from "../runs/cost-cell.ts";
import { nameOf } from "./standing.ts";

/** What an attempt of a phase has cost. */
export interface AttemptCost extends SpendingFacts {
  readonly phaseId: string;
  readonly attempt: number;
  readonly runId: string;
}

/** Those of all phases of a nebula, in the order of the plan and oldest first. */
export async function attemptCosts(
  commonDir: string,
  { id, phases }: NebulaState,
): Promise<readonly AttemptCost[]> {
  const home = nebulaHome(commonDir, id);
  const events = nebulaEvents(commonDir, id);
  const costs = phases.map(async (phase) => {
    const spending = await spendingIn(runsFolder(home, phase.ref));
    return phaseAttempts(phase, events).map(({ attempt, runId }) => ({
      ...{ phaseId: phase.id, attempt, runId },
      ...spendingFacts(spending.get(runId) ?? NOTHING_SPENT),
    }));
  });
  return (await Promise.all(costs)).flat();
}

/** A line for each attempt; of a phase with several one for all of them; and one for the nebula. */
export function costTable(
  nebula: NebulaFacts,
  attempts: readonly AttemptCost[],
  view: View,
): readonly string[] {
  const rows = nebula.phases.flatMap((phase) => {
    const own = attempts.filter(({ phaseId }) => phaseId === phase.phaseId);
    const head = [nameOf(phase.phaseId), standingOf(phase, nebula)];
    if (own.length === 0) return [[...head, "", "", costCell(phase)]];
    const lines = own.map((each, at) => [
      ...(at === 0 ? head : ["", ""]),
      String(each.attempt),
      each.runId,
      costCell(each),
    ]);
    return own.length === 1 ? lines : [...lines, ["", "all attempts", "", "", costCell(phase)]];
  });
  const names = ["phase", "status", "attempt", "run", "cost"];
  const align = ["left", "left", "right", "left", "right"] as const;
  return tableLines(names, [...rows, ["total", "", "", "", costCell(nebula)]], align, view);
}
