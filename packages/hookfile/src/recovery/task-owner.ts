import { join } from "node:path";
import { acquireLock, type Lock, readWholeFile, removeFile, replaceFile } from "@quasar/durable";
import { hiddenFiles } from "../store/exact-modes.ts";
import { TASK_FILES } from "../store/files.ts";
import type { HookFile, HookOwner, HookState } from "../store/hook-file.ts";
import { omit } from "../store/omit.ts";
import { repeat, type RepeatOptions } from "../store/repeat.ts";
import type { HookFileStore } from "../store/store.ts";

/** Milliseconds between two heartbeats. */
export const HEARTBEAT_INTERVAL = 15_000;

/**
 * Takes `run.lock` of a task, at once or not at all: it is held as long as an engine drives the task,
 * and freed by the kernel when the engine's process ends.
 *
 * @throws {DurableError} `ERR_LOCKED`, with the owner; and as durable's `acquireLock`.
 */
export function lockTask(dir: string): Lock {
  return acquireLock(join(dir, TASK_FILES.runLock));
}

export interface ClaimTaskOptions extends Pick<RepeatOptions, "onError" | "signal" | "wait"> {
  readonly store: HookFileStore;
  /** Of {@link lockTask}. */
  readonly lock: Lock;
  readonly runId: string;
  /** @default the system's clock */
  readonly now?: (() => Date) | undefined;
}

/** An engine's hold on a task. */
export interface TaskClaim {
  readonly owner: HookOwner;
  /**
   * Ends the heartbeat, takes the owner out of the hook file and frees the lock; may be called again.
   * In the middle of something the owner stays, so that the task is seen to be interrupted; so does all
   * where the lock was removed and is not this engine's any more.
   *
   * @throws {HookFileError} as the store's `update`; the lock is free all the same.
   */
  release(): void;
}

/**
 * Records who drives a task, and tells every 15 seconds, in a file beside the hook file, that it
 * still does. Detect and recover first: what the last owner left is not on record any more.
 *
 * @throws {HookFileError} as the store's `update`.
 */
export function claimTask(options: ClaimTaskOptions): TaskClaim {
  const { store, lock, runId, now = () => new Date(), ...rest } = options;
  const owner: HookOwner = { ...lock.owner, runId };
  store.update((hook) => ({ hook: { ...hook, owner }, events: [] }));

  const heartbeat = join(store.dir, TASK_FILES.heartbeat);
  const beat = (): void => {
    if (!lock.isCurrent()) return; // another engine may drive the task
    const text = JSON.stringify({ run_id: runId, beat_at: now().toISOString() });
    replaceFile(heartbeat, Buffer.from(`${text}\n`), { fs: hiddenFiles, keepPrevious: false });
  };
  try {
    beat();
  } catch (error) {
    rest.onError(error);
  }
  const beating = repeat({ every: HEARTBEAT_INTERVAL, act: beat, ...rest });

  let isHeld = true;
  const release = (): void => {
    if (!isHeld) return;
    isHeld = false;
    void beating.stop();
    try {
      if (!lock.isCurrent()) return;
      removeFile(heartbeat);
      store.update((hook) => {
        if (hook.owner?.runId !== runId || canCrash(hook)) return undefined;
        return { hook: omit(hook, "owner"), events: [] };
      });
    } finally {
      lock.release();
    }
  };
  return { owner, release };
}

const CAN_CRASH: readonly HookState[] = ["initializing", "step_running", "step_validating"];

/** Whether a task is in the middle of something, so that the end of its owner is a crash. */
function canCrash({ state }: HookFile): boolean {
  return CAN_CRASH.includes(state);
}

/** When a run was last heard of; `undefined` where its heartbeat cannot be read. */
export function lastHeartbeat(dir: string, runId: string): string | undefined {
  try {
    const bytes = readWholeFile(join(dir, TASK_FILES.heartbeat), { maxBytes: 4096 });
    const beat: unknown = bytes && JSON.parse(Buffer.from(bytes).toString());
    if (typeof beat !== "object" || beat === null) return undefined;
    const { run_id: of, beat_at: at }: { run_id?: unknown; beat_at?: unknown } = beat;
    return of === runId && typeof at === "string" ? at : undefined;
  } catch {
    return undefined; // it only informs
  }
}
