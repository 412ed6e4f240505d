import type { TaskCost } from "@quasar/tasks/record";
import { turnFacts } from "../../shared/facts/turn.ts";
import type { Printed } from "../../shared/schemas/line.ts";
import type { taskCost } from "../schemas/parts.ts";

/** What a task has cost, as `--json` has it. */
export function costFacts(cost: TaskCost): Printed<typeof taskCost> {
  const { spentUsd, unknownUsd, problems: warnings } = cost;
  const runs = cost.runs.map((run) => ({ ...run, turns: run.turns.map(turnFacts) }));
  return { spentUsd, unknownUsd, runs, warnings };
}
