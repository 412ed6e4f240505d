import { join } from "node:path";
import { acquireLock } from "@quasar/durable";
import { TASK_FILES } from "../store/files.ts";
import type { HookFile } from "../store/hook-file.ts";
import { createHookFileStore } from "../store/store.ts";
import { lockTask } from "../recovery/task-owner.ts";
import { buryTask, clearRemains, isBuried, type ReceiptsHead } from "./tombstone.ts";

export interface RemoveHookFileOptions {
  readonly now: Date;
  /** For the tombstone. @default it says only how many receipts there were */
  readonly receiptsHead?: ((hook: HookFile) => ReceiptsHead | undefined) | undefined;
}

/**
 * Removes a task's hook file, HOOK.md and history at once, in whatever state it is; a tombstone and an
 * archive stay, and so do artifacts, logs and locks. Ends a removal that a crash has interrupted.
 *
 * @throws {DurableError} `ERR_LOCKED` where an engine drives the task or another process changes it;
 *   `ERR_NOT_DURABLE`. {@link HookFileError} `ERR_DAMAGED`.
 * @see SPEC.md, "Cleanup"
 */
export function removeHookFile(dir: string, { now, receiptsHead }: RemoveHookFileOptions): void {
  const store = createHookFileStore({ dir, now: () => now });
  const runLock = lockTask(dir);
  try {
    if (!isBuried(dir)) store.open(); // what is archived has been repaired
    const hookLock = acquireLock(join(dir, TASK_FILES.hookLock));
    try {
      const hook = isBuried(dir) ? undefined : store.read();
      if (hook === undefined) clearRemains(dir);
      else buryTask(dir, hook, { now, endedAt: endOf(hook), receiptsHead: receiptsHead?.(hook) });
    } finally {
      hookLock.release();
    }
  } finally {
    runLock.release();
  }
}

/** When a task came to the state that it is in: RFC 3339. */
export function endOf({ history, state, updatedAt }: HookFile): string {
  const came = history.findLast((event) => event.toState === state && event.fromState !== state);
  return came?.timestamp ?? updatedAt;
}
