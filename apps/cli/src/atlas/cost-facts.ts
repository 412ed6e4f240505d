import type { TaskCost } from "@quasar/tasks/record";
import { turnFacts } from "../shared/output/turn-facts.ts";

/** What a task has cost, as `--json` has it. */
export function costFacts(cost: TaskCost) {
  const runs = cost.runs.map((run) => ({ ...run, turns: run.turns.map(turnFacts) }));
  return { ...cost, runs };
}
