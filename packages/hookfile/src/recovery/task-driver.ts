import { join } from "node:path";
import { type Lock, lockHolder } from "@quasar/durable";
import { isAlive, identityOf } from "@quasar/process";
import { TASK_FILES } from "../store/files.ts";
import type { HookOwner } from "../store/hook-file.ts";

/** Whether whoever drives a task, or drove it last, still does. */
export type Driver = "lives" | "gone" | "unknown";

/**
 * Judges by `run.lock` and by the owner that is recorded; asking disturbs neither.
 *
 * @param lock - Of `run.lock`, where the caller holds it: a task is then not driven by this process.
 */
export function driverOf(dir: string, owner: HookOwner | undefined, lock?: Lock): Driver {
  if (lock === undefined && lockHolder(join(dir, TASK_FILES.runLock)) !== undefined) return "lives";
  if (owner === undefined) return "unknown";
  if (lock !== undefined && isThisProcess(owner)) return "gone";
  const lives = isAlive(owner);
  if (lives === undefined) return "unknown";
  return lives ? "lives" : "gone";
}

function isThisProcess({ pid, startTime, bootId }: HookOwner): boolean {
  const own = identityOf(process.pid);
  return pid === own.pid && startTime === own.startTime && bootId === own.bootId;
}
