import { budget, cleanLine, firstLine, jsonLine } from "@quasar/runs/text";
import { type TaskCost, taskCost } from "@quasar/tasks/record";
import { result } from "../../shared/output/json.ts";
import { EXIT, type ExitCode } from "../../shared/exit-codes.ts";
import {
  costOfOpenTurn,
  costOfTurn,
  type CostRow,
  costTable,
} from "../../shared/output/cost-table.ts";
import { viewOf, write } from "../../shared/output/reporter.ts";
import { labelled } from "../../shared/output/text.ts";
import type { Given } from "../command.ts";
import { costFacts } from "../facts/cost.ts";
import { openMeant } from "../find.ts";
import { openInstallation } from "../installation.ts";
import type { CostLine } from "../schemas/others.ts";

/** `atlas cost`: what each turn of a task's agents has cost, step by step. */
export async function costCommand(id: string | undefined, { json }: Given): Promise<ExitCode> {
  const { dir, hook, task } = await openMeant(openInstallation(), id);
  const cost = await taskCost(dir);
  const { maxBudgetUsd } = task.config;
  if (json === true) {
    const facts = { taskId: hook.taskId, maxBudgetUsd, ...costFacts(cost) };
    const line = result("cost", facts, EXIT.ok) satisfies CostLine;
    process.stdout.write(jsonLine(line));
    return EXIT.ok;
  }
  const view = viewOf(process.stdout);
  const title = firstLine(hook.title === "" ? hook.description : hook.title);
  write(process.stdout, [
    view.paint("bold", `task ${cleanLine(hook.taskId)}`),
    ...labelled(view, "task", title),
    ...labelled(view, "cost", costText(cost, maxBudgetUsd)),
    ...cost.problems.flatMap((text) => labelled(view, "", cleanLine(text), "yellow")),
    "",
    ...(cost.runs.length === 0
      ? ["  no turn yet"]
      : costTable(cost.runs.flatMap(rowsOf), cost.spentUsd, view)),
  ]);
  return EXIT.ok;
}

function costText({ spentUsd, unknownUsd }: TaskCost, maxBudgetUsd: number): string {
  return budget({ spentUsd, unknownUsd, hasUnreportedCosts: false }, maxBudgetUsd);
}

function rowsOf({ name: step, turns, openUsd }: TaskCost["runs"][number]): readonly CostRow[] {
  const open = openUsd === 0 ? [] : [costOfOpenTurn(openUsd)];
  return [...turns.map(costOfTurn), ...open].map((row) => ({ ...row, step }));
}
