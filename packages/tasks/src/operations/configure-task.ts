import type { TaskConfig } from "../task-record.ts";
import { readTask, writeTask } from "../task-store.ts";
import { whileTaskIdle } from "./change-task.ts";

/**
 * Changes what a task was configured with, which only a person does.
 *
 * @throws {TasksError} `ERR_LOCKED`: somebody drives it, and has the configuration that it was; as
 *   `readTask` and `writeTask`.
 */
export function configureTask(
  taskDir: string,
  change: (config: TaskConfig) => TaskConfig,
): Promise<void> {
  return whileTaskIdle(taskDir, async () => {
    const task = readTask(taskDir);
    writeTask(taskDir, { ...task, config: change(task.config) });
  });
}
