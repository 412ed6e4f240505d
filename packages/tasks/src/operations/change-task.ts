import {
  type Change,
  createHookFileStore,
  type HookFile,
  type HookFileStore,
  type HookInput,
  isTerminal,
  transition,
} from "@quasar/hookfile";
import { lockTask } from "@quasar/hookfile/recovery";
import { gitHook } from "../engine/git-hook.ts";
import { lockedBy } from "../locked-by.ts";
import { receiptFacts } from "../validation/receipt-chain.ts";
import type { LookPorts } from "../steps/step.ts";
import { repairTask } from "../task-repair.ts";

/** What an operation needs of the world. */
export type OperationPorts = Pick<LookPorts, "keys" | "now" | "version">;

/** A task's hook file, whose HOOK.md says what its receipts are worth. */
export function openHookStore(
  taskDir: string,
  { keys, now, version }: OperationPorts,
): HookFileStore {
  return createHookFileStore({ dir: taskDir, now, version, ...receiptFacts(taskDir, keys) });
}

/**
 * Changes a task by what a person or an agent says, in one write, and brings task.json in line.
 *
 * @param decide - The events that follow from the task as it is; throws where there are none.
 * @param look - Resolves under the task's lock before `decide` is called. @default nothing is checked
 * @throws what `decide` and `look` throw; {HookFileError} as the store's `update`.
 */
export async function changeTask(
  taskDir: string,
  ports: OperationPorts,
  decide: (hook: HookFile) => readonly HookInput[],
  look?: () => Promise<void>,
): Promise<HookFile> {
  const store = openHookStore(taskDir, ports);
  const change = (current: HookFile): Change =>
    transition(current, decide(current), { now: ports.now() });
  const hook = look === undefined ? store.update(change) : await store.updateAfter(look, change);
  const task = repairTask(taskDir, hook);
  // What is wrong with it is told where the task is resumed; the decision is on record.
  if (isTerminal(hook.state)) await gitHook.uninstall({ taskDir, task });
  return hook;
}

/**
 * The same where nobody may drive the task meanwhile.
 *
 * @throws {TasksError} `ERR_LOCKED`
 */
export async function changeIdleTask(
  taskDir: string,
  ports: OperationPorts,
  decide: (hook: HookFile) => readonly HookInput[],
): Promise<HookFile> {
  return whileTaskIdle(taskDir, () => changeTask(taskDir, ports, decide));
}

/**
 * Keeps others from driving a task for as long as something is done to it.
 *
 * @throws {TasksError} `ERR_LOCKED`: somebody drives it.
 */
export async function whileTaskIdle<T>(taskDir: string, body: () => Promise<T>): Promise<T> {
  const lock = lockedBy("drives the task", () => lockTask(taskDir));
  try {
    return await body();
  } finally {
    lock.release();
  }
}
