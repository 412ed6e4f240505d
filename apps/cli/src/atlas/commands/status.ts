import { type HookFile, isTerminal, quarantinedFiles } from "@quasar/hookfile";
import { jsonLine, firstLine } from "@quasar/runs/text";
import { listTasks, taskCost } from "@quasar/tasks";
import { EXIT, type ExitCode } from "../../shared/exit-codes.ts";
import { JSON_VERSION, viewOf, write } from "../../shared/output/reporter.ts";
import { tableLines } from "../../shared/output/table.ts";
import { nextLines } from "../../shared/output/text.ts";
import type { Given } from "../command.ts";
import { openMeant } from "../find.ts";
import { openInstallation } from "../installation.ts";
import { nextOf } from "../next.ts";
import { chainExit } from "../output/chain-lines.ts";
import { ago } from "../output/hook-lines.ts";
import { pictureLines } from "../output/picture.ts";
import type { StatusLine } from "../schemas/status.ts";
import type { TasksLine } from "../schemas/status.ts";

/** `atlas status`: the picture of a task, or all tasks in a list. */
export async function statusCommand(id: string | undefined, given: Given): Promise<ExitCode> {
  if (given.all === true) return listAll(given);
  const installation = openInstallation();
  const task = await openMeant(installation, id);
  const { hook } = task;
  const cost = await taskCost(task.dir);
  const next = nextOf(hook, id, task.owner, task.stop);
  const exit = chainExit(task.chain);
  if (given.json === true) {
    const { dir, verdicts, chain, problems, quarantined, found, owner, stop } = task;
    const facts = { dir, found, owner, stop, chain, problems, quarantined, cost, exit, next };
    const line = { task: task.task, hook, verdicts: Object.fromEntries(verdicts), ...facts };
    const printed = { v: JSON_VERSION, type: "status", ...line } satisfies StatusLine;
    process.stdout.write(jsonLine(printed));
    return exit;
  }
  const now = installation.now().getTime();
  const view = viewOf(process.stdout);
  write(process.stdout, pictureLines({ ...task, now, cost, next, id }, view));
  return exit;
}

/** Enough of an id to name the task by, as a rule. */
const SHORT_ID = "task-".length + 8;

/** `awaiting_human (review)` */
function briefly({ state, currentStep }: HookFile): string {
  return currentStep === undefined || isTerminal(state)
    ? state
    : `${state} (${currentStep.stepName})`;
}

function listAll({ json }: Given): ExitCode {
  const { home, now } = openInstallation();
  const tasks = listTasks(home);
  if (json === true) {
    const line = { v: JSON_VERSION, type: "tasks", home, tasks } satisfies TasksLine;
    process.stdout.write(jsonLine(line));
    return EXIT.ok;
  }
  const view = viewOf(process.stdout);
  if (tasks.length === 0) {
    write(process.stdout, [
      "no tasks yet",
      ...nextLines(['atlas start "…"', "atlas templates"], view),
    ]);
    return EXIT.ok;
  }
  const rows = tasks.map(({ taskId, workspaceId, hook, dir }) => {
    const id = taskId.slice(0, SHORT_ID);
    if (hook === undefined) return [workspaceId, "damaged", "", id, "", "atlas recover"];
    const when = ago(hook.updatedAt, now().getTime());
    const state = quarantinedFiles(dir).length > 0 ? `${briefly(hook)}, tampered` : briefly(hook);
    return [workspaceId, state, when, id, hook.template, firstLine(hook.title)];
  });
  const head = ["workspace", "state", "changed", "task", "template", "what"];
  const align = head.map(() => "left" as const);
  write(process.stdout, tableLines(head, rows, align, view));
  return EXIT.ok;
}
