export { failedAttempts } from "./failed-attempts.ts";
export { type TaskCost, taskCost } from "./runs/task-cost.ts";
export { taskRuns, watchTaskTurn } from "./runs/task-runs.ts";
export { encodeTask } from "./task-codec.ts";
export { readTaskLog } from "./task-log.ts";
export { STEP_STATUSES, TASK_STATUSES } from "./task-record.ts";
