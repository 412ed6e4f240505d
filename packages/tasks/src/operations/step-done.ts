import type { HookFile } from "@quasar/hookfile";
import { readGitFacts, saveCheckpoint, wantsCheckpoint } from "@quasar/hookfile/checkpoints";
import { isAgentsStep } from "../agents-step.ts";
import { repairTask } from "../task-repair.ts";
import { readTask } from "../task-store.ts";
import { notAwaited } from "./awaited.ts";
import { changeTask, type OperationPorts, openHookStore, whileTaskIdle } from "./change-task.ts";

/**
 * Ends the step that an agent works on by HOOK.md alone, with no engine alive.
 *
 * @param summary - What was done, in a line.
 * @throws {TasksError} `ERR_LOCKED`: an engine drives the task and notices by itself;
 *   `ERR_NOT_AWAITED`: no step of an agent's is running.
 */
export async function completeStep(
  taskDir: string,
  summary: string,
  ports: OperationPorts,
): Promise<HookFile> {
  return whileTaskIdle(taskDir, async () => {
    const done = { type: "step_complete", details: { summary, by: "agent" } } as const;
    const { checkpoints } = readTask(taskDir).config;
    if (!wantsCheckpoint(checkpoints, "step_complete")) {
      return changeTask(taskDir, ports, (hook) => {
        requireAgentsStep(hook);
        return [done];
      });
    }
    const store = openHookStore(taskDir, ports);
    const hook = saveCheckpoint(store, {
      trigger: "step_complete",
      description: summary,
      git: await readGitFacts(readTask(taskDir).metadata.worktreeDir),
      now: ports.now(),
      when(current) {
        requireAgentsStep(current);
        return true;
      },
      then: [done],
    });
    repairTask(taskDir, hook);
    return hook;
  });
}

/** @throws {TasksError} `ERR_NOT_AWAITED` unless a step of an agent's is running. */
function requireAgentsStep(hook: HookFile): void {
  if (isAgentsStep(hook)) return;
  throw notAwaited(hook, "no step of an agent's is running");
}
