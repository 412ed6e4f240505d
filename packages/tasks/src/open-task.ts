import {
  detectAndRecover,
  type Detection,
  type HookFile,
  type HookOwner,
  type Problem,
  type Verdicts,
} from "@quasar/hookfile";
import { PROGRAM_PARTS } from "./engine/drive-task.ts";
import { inspectorOf } from "./engine/inspect.ts";
import { TasksError } from "./errors.ts";
import type { LookPorts } from "./steps/step.ts";
import type { TaskRecord } from "./task-record.ts";
import { repairTask } from "./task-repair.ts";
import { readTask } from "./task-store.ts";
import { receiptsView } from "./validation/receipts-view.ts";

/** A task as it is now: everything that is told of it is made from this. */
export interface TaskView {
  readonly dir: string;
  readonly hook: HookFile;
  readonly task: TaskRecord;
  /** By receipt. */
  readonly verdicts: Verdicts;
  /** What was wrong with its files, and has been dealt with. */
  readonly problems: readonly Problem[];
  /** `running`: somebody drives it. */
  readonly found: Exclude<Detection["kind"], "corrupt">;
  /** Who drives it. */
  readonly owner: HookOwner | undefined;
}

/**
 * Opens a task to look at it: its files are repaired, an interruption is put on record, HOOK.md is what
 * hook.json says. Where somebody drives it nothing is changed.
 *
 * @throws {TasksError} `ERR_NOT_FOUND`; `ERR_DAMAGED` where nothing that is left says where it is;
 *   {HookFileError}
 */
export async function openTask(
  taskDir: string,
  ports: LookPorts,
  signal?: AbortSignal,
): Promise<TaskView> {
  const { keys, now, version } = ports;
  const verdictsOf = (hook: HookFile): Verdicts => receiptsView(taskDir, hook, keys);
  const found = await detectAndRecover(taskDir, {
    now,
    version,
    verdicts: verdictsOf,
    inspect: inspectorOf(PROGRAM_PARTS, { taskDir, task: readTask(taskDir), ports }),
    signal,
  });
  if (found.kind === "corrupt") {
    const message = `${taskDir}: ${found.error.message}`;
    throw new TasksError("ERR_DAMAGED", message, { cause: found.error });
  }
  const { hook } = found;
  if (hook === undefined) throw new TasksError("ERR_NOT_FOUND", `${taskDir} has no task`);
  return {
    dir: taskDir,
    hook,
    task: repairTask(taskDir, hook),
    verdicts: verdictsOf(hook),
    problems: "problems" in found ? found.problems : [],
    found: found.kind,
    owner: found.kind === "running" ? found.owner : undefined,
  };
}
