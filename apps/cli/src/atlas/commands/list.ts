import { type HookFile, isTerminal } from "@quasar/hookfile";
import { quarantinedFiles } from "@quasar/hookfile/recovery";
import { firstLine, jsonLine } from "@quasar/runs/text";
import { listTasks } from "@quasar/tasks";
import { result } from "../../shared/output/json.ts";
import { EXIT, type ExitCode } from "../../shared/exit-codes.ts";
import { viewOf, write } from "../../shared/output/reporter.ts";
import { tableLines } from "../../shared/output/table.ts";
import { nextLines } from "../../shared/output/text.ts";
import type { Given } from "../command.ts";
import { hookFacts } from "../facts/hook.ts";
import { openInstallation } from "../installation.ts";
import { ago } from "../output/hook-lines.ts";
import type { TasksLine } from "../schemas/status.ts";

/** Enough of an id to name the task by, as a rule. */
const SHORT_ID = "task-".length + 8;

/** What can be typed where there is no task. */
const FIRST = ['atlas start "…"', "atlas templates"];

/** `awaiting_human (review)` */
function briefly({ state, currentStep }: HookFile): string {
  return currentStep === undefined || isTerminal(state)
    ? state
    : `${state} (${currentStep.stepName})`;
}

/** `atlas list`: all tasks, a line each. */
export function listCommand({ json }: Given): ExitCode {
  const { home, now } = openInstallation();
  const tasks = listTasks(home);
  if (json === true) {
    const listed = tasks.map(({ hook, ...task }) => ({ ...task, hook: hook && hookFacts(hook) }));
    const next = tasks.length === 0 ? FIRST : [];
    const line = result("list", { home, tasks: listed }, EXIT.ok, next) satisfies TasksLine;
    process.stdout.write(jsonLine(line));
    return EXIT.ok;
  }
  const view = viewOf(process.stdout);
  if (tasks.length === 0) {
    write(process.stdout, ["no tasks yet", ...nextLines(FIRST, view)]);
    return EXIT.ok;
  }
  const rows = tasks.map(({ taskId, workspaceId, hook, dir }) => {
    const id = taskId.slice(0, SHORT_ID);
    if (hook === undefined) return [id, "damaged", "", "", `${workspaceId}: atlas recover`];
    const when = ago(hook.updatedAt, now().getTime());
    const state = quarantinedFiles(dir).length > 0 ? `${briefly(hook)}, tampered` : briefly(hook);
    return [id, state, when, hook.template, `${workspaceId}: ${firstLine(hook.title)}`];
  });
  const head = ["task", "state", "changed", "template", "workspace: title"];
  const align = head.map(() => "left" as const);
  write(process.stdout, tableLines(head, rows, align, view));
  return EXIT.ok;
}
