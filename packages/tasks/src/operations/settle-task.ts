import { isTerminal } from "@quasar/hookfile";
import { uninstallGitHook } from "@quasar/hookfile/git-hook";
import { openTask, type TaskView } from "../open-task.ts";
import type { LookPorts } from "../steps/step.ts";

/**
 * Opens a task, and where it has ended does what a crash may have kept its end from: its files say so,
 * and the git hook is gone with the repository's last active task. May be done again.
 *
 * @throws as `openTask` and `uninstallGitHook` do.
 */
export async function settleTask(
  taskDir: string,
  ports: LookPorts,
  signal?: AbortSignal,
): Promise<TaskView> {
  const view = await openTask(taskDir, ports, signal);
  const { state, repoPath } = view.hook;
  if (isTerminal(state)) await uninstallGitHook(repoPath, { taskDir, signal });
  return view;
}
