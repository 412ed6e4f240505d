import { type HookFile, isTerminal } from "@quasar/hookfile";
import { type CheckpointTrigger, readGitFacts, saveCheckpoint } from "@quasar/hookfile/checkpoints";
import { readTask } from "../task-store.ts";
import { notAwaited } from "./awaited.ts";
import { type OperationPorts, openHookStore } from "./change-task.ts";

export interface CheckpointTaskOptions {
  /** What was reached: for `manual` also what is being worked on. */
  readonly description: string;
  /** @default "manual" */
  readonly trigger?: CheckpointTrigger | undefined;
  readonly ports: OperationPorts;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Makes a step checkpoint in a task, also while somebody drives it.
 *
 * @throws {TasksError} `ERR_NOT_AWAITED` where the task has ended. {HookFileError} {GitError}
 */
export async function checkpointTask(
  taskDir: string,
  { description, trigger = "manual", ports, signal }: CheckpointTaskOptions,
): Promise<HookFile> {
  const store = openHookStore(taskDir, ports);
  const git = await readGitFacts(readTask(taskDir).metadata.worktreeDir, { signal });
  const saved = saveCheckpoint(store, {
    trigger,
    description,
    git,
    now: ports.now(),
    when(hook) {
      if (isTerminal(hook.state)) throw notAwaited(hook, "there is nothing to mark");
      return true;
    },
  });
  if (trigger !== "manual" || saved.currentStep === undefined) return saved;
  return store.update((hook) => {
    const { currentStep } = hook;
    if (currentStep === undefined) return undefined;
    const workingOn = saved.checkpoints.at(-1)?.description ?? description;
    return { hook: { ...hook, currentStep: { ...currentStep, workingOn } }, events: [] };
  });
}
