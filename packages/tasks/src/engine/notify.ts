import { runNotification } from "@quasar/runs/internal";
import type { TaskPorts } from "../steps/step.ts";
import type { Notice } from "./parts.ts";

/** Notifies a person by their command, in the work tree. @returns What went wrong. Never rejects. */
export function notify(
  { command, worktree, taskId, event, message }: Notice,
  { env }: Pick<TaskPorts, "env">,
): Promise<string | undefined> {
  const said = { ATLAS_TASK_ID: taskId, ATLAS_EVENT: event, ATLAS_MESSAGE: message };
  return runNotification({ command, cwd: worktree, env, said });
}
