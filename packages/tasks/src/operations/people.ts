import { createHookFileStore, type HookFile, isTerminal } from "@quasar/hookfile";
import { endTaskAgents } from "../runs/task-agents.ts";
import { type ControlsInput, openTaskControls } from "../git-controls.ts";
import { notAwaited } from "./awaited.ts";
import { changeIdleTask, changeTask, type OperationPorts, whileTaskIdle } from "./change-task.ts";
import { anotherTry, finalRejection, leavingOut, rejection } from "./decide.ts";

export interface Rejection {
  /** What is wrong. */
  readonly feedback: string;
  /** Whether the task has failed with it. @default false */
  readonly isFinal?: boolean | undefined;
}

/**
 * Sends the work under review back to where it came from: the step's `on_reject`, which gets a new
 * attempt with the feedback in its prompt, as do the steps after it. Or refuses it for good.
 *
 * @throws {TasksError} `ERR_NOT_AWAITED`
 */
export function rejectTask(
  taskDir: string,
  { feedback, isFinal = false }: Rejection,
  ports: OperationPorts,
): Promise<HookFile> {
  const decide = isFinal ? finalRejection : rejection;
  return changeTask(taskDir, ports, (hook) => decide(hook, feedback));
}

/** What a retry takes as it is. */
export interface Retry {
  /** Accept what has changed of what controls git in the work tree since the task began. @default it is not */
  readonly acceptControls?: ControlsInput["ports"] | undefined;
}

/**
 * Has the step that a person is asked about tried again by the next resume.
 *
 * @throws {TasksError} `ERR_NOT_AWAITED`, `ERR_LOCKED`; {GitError} where what is accepted cannot be read.
 */
export async function retryTask(
  taskDir: string,
  ports: OperationPorts,
  { acceptControls }: Retry = {},
): Promise<HookFile> {
  return whileTaskIdle(taskDir, async () => {
    const hook = await changeTask(taskDir, ports, anotherTry);
    if (acceptControls !== undefined) {
      const input = { taskDir, worktree: hook.worktreePath, ports: acceptControls };
      await (await openTaskControls(input)).accept();
    }
    return hook;
  });
}

/**
 * Leaves a step out: it becomes `skipped`, with the reason, never `completed`.
 *
 * @throws {TasksError} `ERR_NOT_AWAITED`, `ERR_LOCKED`
 */
export function skipTask(
  taskDir: string,
  reason: string,
  ports: OperationPorts,
): Promise<HookFile> {
  return changeIdleTask(taskDir, ports, (hook) => leavingOut(hook, reason));
}

/**
 * Gives a task up: its agents are ended, its branch, commits and files stay.
 *
 * @throws {TasksError} `ERR_NOT_AWAITED` where it has ended, `ERR_LOCKED` while somebody drives it.
 */
export async function abandonTask(
  taskDir: string,
  reason: string | undefined,
  ports: OperationPorts,
): Promise<HookFile> {
  return whileTaskIdle(taskDir, async () => {
    const hook = createHookFileStore({ dir: taskDir }).read();
    if (hook !== undefined && isTerminal(hook.state)) {
      throw notAwaited(hook, "there is nothing to give up");
    }
    await endTaskAgents(taskDir);
    return changeTask(taskDir, ports, () => [{ type: "abandon", reason }]);
  });
}
