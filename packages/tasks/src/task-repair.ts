import type { HookFile } from "@quasar/hookfile";
import { syncTask } from "./sync-task.ts";
import type { TaskRecord } from "./task-record.ts";
import { loadTask, writeTask } from "./task-store.ts";

/**
 * Brings task.json in line with the hook file, which is right where they differ; written only where that
 * changes anything, or where task.json is to be made again from its copy.
 *
 * @throws {TasksError} as `loadTask` and `writeTask`.
 */
export function repairTask(taskDir: string, hook: HookFile): TaskRecord {
  const { record, source } = loadTask(taskDir);
  const synced = syncTask(record, hook);
  if (synced !== record || source === "copy") writeTask(taskDir, synced);
  return synced;
}
