import { join } from "node:path";
import { DurableError, lockHolder } from "@quasar/durable";
import { HookFileError } from "../errors.ts";
import { TASK_FILES } from "../store/files.ts";
import type { HookFile, TERMINAL_STATES } from "../store/hook-file.ts";
import { endOf, removeHookFile, type RemoveHookFileOptions } from "./remove.ts";
import { createHookFileStore } from "../store/store.ts";
import { driverOf } from "../recovery/task-driver.ts";
import { listTaskFolders, type TaskFolder } from "./task-folders.ts";
import { isBuried, remainsOf } from "./tombstone.ts";

/** How long the hook files of tasks are kept after their end, in milliseconds. */
export type RetentionPolicy = Readonly<Record<(typeof TERMINAL_STATES)[number], number>>;

const DAY = 86_400_000;

/** The seed's. */
export const DEFAULT_RETENTION: RetentionPolicy = {
  completed: 30 * DAY,
  failed: 14 * DAY,
  abandoned: 7 * DAY,
};

export interface CleanupOptions extends RemoveHookFileOptions {
  readonly workspacesDir: string;
  /** @default {@link DEFAULT_RETENTION} */
  readonly policy?: RetentionPolicy | undefined;
  /** Only says what would be removed. @default false */
  readonly dryRun?: boolean | undefined;
}

export interface CleanupReport {
  /** In a dry run: what would be. */
  readonly removed: readonly RemovedHookFile[];
  /** What could not be judged, or is due but was not removed. */
  readonly skipped: readonly SkippedHookFile[];
}

export interface RemovedHookFile extends TaskFolder {
  /** `undefined` where a removal that a crash had interrupted was ended. */
  readonly hook: HookFile | undefined;
}

export interface SkippedHookFile extends TaskFolder {
  /** `corrupt`: nothing of it can be believed; `in_use`: a lock is held, or the owner lives. */
  readonly reason: "corrupt" | "in_use" | "failed";
  readonly error?: unknown;
}

/**
 * Removes the hook files of tasks that came to their end longer ago than the policy keeps them: see
 * {@link removeHookFile}. One task that cannot be removed keeps no other.
 *
 * @see SPEC.md, "Cleanup"
 */
export function cleanupHookFiles(options: CleanupOptions): CleanupReport {
  const removed: RemovedHookFile[] = [];
  const skipped: SkippedHookFile[] = [];
  for (const folder of listTaskFolders(options.workspacesDir)) {
    const fate = cleanupTask(folder.dir, options);
    if (fate === undefined) continue;
    if ("reason" in fate) skipped.push({ ...folder, ...fate });
    else removed.push({ ...folder, ...fate });
  }
  return { removed, skipped };
}

type Fate = Pick<RemovedHookFile, "hook"> | Pick<SkippedHookFile, "reason" | "error">;

/** `undefined` where there is nothing to do. */
function cleanupTask(dir: string, options: CleanupOptions): Fate | undefined {
  try {
    const due = whatIsDue(dir, options);
    if (due === undefined) return undefined;
    if (isInUse(dir, due.hook)) return { reason: "in_use" };
    if (options.dryRun !== true) removeHookFile(dir, options);
    return due;
  } catch (error) {
    if (error instanceof DurableError && error.code === "ERR_LOCKED") return { reason: "in_use" };
    return { reason: isDamage(error) ? "corrupt" : "failed", error };
  }
}

function whatIsDue(
  dir: string,
  options: CleanupOptions,
): Pick<RemovedHookFile, "hook"> | undefined {
  if (isBuried(dir)) return remainsOf(dir).length > 0 ? { hook: undefined } : undefined;
  const hook = createHookFileStore({ dir }).read();
  return hook !== undefined && isOver(hook, options) ? { hook } : undefined;
}

function isOver(hook: HookFile, { policy = DEFAULT_RETENTION, now }: CleanupOptions): boolean {
  const { state } = hook;
  if (state !== "completed" && state !== "failed" && state !== "abandoned") return false;
  return now.getTime() - Date.parse(endOf(hook)) > policy[state];
}

function isInUse(dir: string, hook: HookFile | undefined): boolean {
  const isHeld = lockHolder(join(dir, TASK_FILES.hookLock)) !== undefined;
  return isHeld || driverOf(dir, hook?.owner) === "lives";
}

function isDamage(error: unknown): boolean {
  return error instanceof HookFileError && error.code === "ERR_DAMAGED";
}
