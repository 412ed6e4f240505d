import { join } from "node:path";
import { type RunStores, storesIn } from "@quasar/runs/tree";

/** The folder of a task's runs, each in one of its name. */
export function runsFolder(taskDir: string): string {
  return join(taskDir, "runs");
}

/** @param sealKey - Without it a checkpoint's origin is not judged. */
export function runStores(dir: string, taskId: string, sealKey?: Uint8Array): RunStores {
  return storesIn(dir, { sealKey, repositoryId: taskId });
}
