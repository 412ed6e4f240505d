import * as is from "./fields.ts";

/** Which task a chain of receipts is of. */
export interface TaskName {
  readonly workspaceId: string;
  readonly taskId: string;
}

export const TASK_FIELDS: is.Fields<TaskName> = {
  workspaceId: ["workspace_id", is.name],
  taskId: ["task_id", is.name],
};

export function isSameTask(a: TaskName, b: TaskName): boolean {
  return a.workspaceId === b.workspaceId && a.taskId === b.taskId;
}
