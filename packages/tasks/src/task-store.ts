import { join } from "node:path";
import { TASK_FILES } from "@quasar/hookfile/internal";
import { TasksError } from "./errors.ts";
import { loadStored, saveStored } from "./stored-file.ts";
import { taskCodec } from "./task-codec.ts";
import type { TaskRecord } from "./task-record.ts";

/** A task's record, and the file that has it. */
export interface StoredTask {
  readonly record: TaskRecord;
  /** `copy`: task.json is gone, or no generation of it can be read. */
  readonly source: "task.json" | "copy";
}

/**
 * A task's record: of task.json the newest generation that can be read, else its copy among the
 * artifacts. What differs between them is derived from the hook file.
 *
 * @throws {TasksError} `ERR_NOT_FOUND`; `ERR_DAMAGED`, as task.json has it.
 */
export function loadTask(taskDir: string): StoredTask {
  const path = join(taskDir, TASK_FILES.task);
  const record = orError(() => loadStored(path, taskCodec));
  if (record !== undefined && !(record instanceof TasksError))
    return { record, source: "task.json" };
  const copy = orError(() => loadStored(copyOf(taskDir), taskCodec));
  if (copy !== undefined && !(copy instanceof TasksError)) return { record: copy, source: "copy" };
  throw record ?? copy ?? new TasksError("ERR_NOT_FOUND", `there is no ${path}`);
}

/** The record of {@link loadTask}. @throws as it does. */
export function readTask(taskDir: string): TaskRecord {
  return loadTask(taskDir).record;
}

/** Replaces task.json and its copy (0600), durably. @throws {TasksError} `ERR_DAMAGED`; {@link DurableError} */
export function writeTask(taskDir: string, record: TaskRecord): void {
  saveStored(join(taskDir, TASK_FILES.task), taskCodec, record);
  saveStored(copyOf(taskDir), taskCodec, record, { keepPrevious: false });
}

/** Where no removal of `task.json*` reaches it. */
function copyOf(taskDir: string): string {
  return join(taskDir, TASK_FILES.artifacts, TASK_FILES.task);
}

function orError<T>(load: () => T): T | TasksError {
  try {
    return load();
  } catch (error) {
    if (error instanceof TasksError) return error;
    throw error;
  }
}
