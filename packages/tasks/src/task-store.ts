import { join } from "node:path";
import { TASK_FILES } from "@quasar/hookfile";
import { TasksError } from "./errors.ts";
import { loadStored, saveStored } from "./stored-file.ts";
import { taskCodec } from "./task-codec.ts";
import type { TaskRecord } from "./task-record.ts";

/**
 * A task's record; the generation before, where the newest is damaged: what differs between them is
 * derived from the hook file.
 *
 * @throws {TasksError} `ERR_NOT_FOUND`, `ERR_DAMAGED`
 */
export function readTask(taskDir: string): TaskRecord {
  const path = join(taskDir, TASK_FILES.task);
  const record = loadStored(path, taskCodec);
  if (record !== undefined) return record;
  throw new TasksError("ERR_NOT_FOUND", `there is no ${path}`);
}

/** Replaces task.json (0600), durably. @throws {TasksError} `ERR_DAMAGED`; {@link DurableError} */
export function writeTask(taskDir: string, record: TaskRecord): void {
  saveStored(join(taskDir, TASK_FILES.task), taskCodec, record);
}
