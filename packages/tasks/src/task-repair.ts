import type { HookFile } from "@quasar/hookfile";
import { syncTask } from "./sync-task.ts";
import type { TaskRecord } from "./task-record.ts";
import { readTask, writeTask } from "./task-store.ts";

/**
 * Brings task.json in line with the hook file, which is right where they differ; written only where it
 * changes anything.
 *
 * @throws {TasksError} as `readTask` and `writeTask`.
 */
export function repairTask(taskDir: string, hook: HookFile): TaskRecord {
  const record = readTask(taskDir);
  const synced = syncTask(record, hook);
  if (synced !== record) writeTask(taskDir, synced);
  return synced;
}
