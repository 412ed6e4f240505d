import { join } from "node:path";
import type { CheckpointStore } from "@quasar/checkpoint";
import { archivingStore, guardedStore, type RunStores, storesIn } from "@quasar/runs/tree";
import { TasksError } from "../errors.ts";

/** The folder of a task's runs, each in one of its name. */
export function runsFolder(taskDir: string): string {
  return join(taskDir, "runs");
}

/** @param sealKey - Without it a checkpoint's origin is not judged. */
export function runStores(dir: string, taskId: string, sealKey?: Uint8Array): RunStores {
  return storesIn(dir, { sealKey, repositoryId: taskId });
}

/**
 * The store that the loop of a step writes to.
 *
 * @param holdsLock - Where it is `false`, nothing is changed.
 */
export function stepStore(
  stores: RunStores,
  holdsLock: () => boolean = () => true,
): CheckpointStore {
  return guardedStore(archivingStore(stores), () => {
    if (!holdsLock()) throw new TasksError("ERR_LOCKED", "another process drives the task");
  });
}
