import type { Lock } from "@quasar/durable";
import { type CrashFacts, crash } from "./crash.ts";
import { HookFileError } from "../errors.ts";
import type { HookFile, HookOwner, RecoveryContext } from "../store/hook-file.ts";
import { judge } from "./judge.ts";
import type { Problem } from "../problem.ts";
import { RECOVERY_EVENTS } from "./recovery-decision.ts";
import { createHookFileStore, type HookFileStore } from "../store/store.ts";
import type { HookFileStoreOptions, OpenedHookFile } from "../store/store-options.ts";
import { driverOf } from "./task-driver.ts";
import { lastHeartbeat } from "./task-owner.ts";
import type { HookInput } from "../transitions/transition-events.ts";

/** What became of the last attempt to drive a task. */
export type Detection =
  /** There is no task. */
  | { readonly kind: "absent" }
  /** It has ended. */
  | { readonly kind: "ended"; readonly hook: HookFile }
  /** Somebody drives it, or may: it stays as it is. */
  | (Found & { readonly kind: "running"; readonly owner?: HookOwner | undefined })
  /** It is between steps, or a person is awaited: it stays as it is. */
  | (Found & { readonly kind: "waiting" })
  /** It was interrupted: `recovering`, with `hook.recovery`. */
  | (Found & { readonly kind: "crashed" })
  /** Nothing that is left says where it is: a person has to look. */
  | { readonly kind: "corrupt"; readonly error: HookFileError };

interface Found {
  readonly hook: HookFile;
  /** What was wrong with the files; it has been dealt with. */
  readonly problems: readonly Problem[];
}

export interface DetectOptions extends Omit<HookFileStoreOptions, "dir"> {
  /** Of `run.lock`, where the caller holds it: then nobody else drives the task from this process. */
  readonly lock?: Lock | undefined;
  /**
   * Looks for what is known of an interruption, once it is sure that there was one. What it cannot
   * find out it says so; where it rejects, nothing is changed. @default knows nothing
   */
  readonly inspect?:
    | ((hook: HookFile, options: { signal?: AbortSignal | undefined }) => Promise<CrashFacts>)
    | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Finds out whether a task was interrupted, and if so makes it `recovering`. It goes by the owner, not
 * by the age: by the age only where the owner is not known or is of another machine. What is
 * `recovering` already stays as it is, to the byte.
 *
 * @param dir - The task's folder.
 * @throws {HookFileError} as the store's `open` and `update`, but for `ERR_DAMAGED`; what `inspect`
 *   rejects with; the signal's reason.
 * @see SPEC.md, "Recovery"
 */
export async function detectAndRecover(
  dir: string,
  options: DetectOptions = {},
): Promise<Detection> {
  const { now = () => new Date(), lock, inspect = knowsNothing, signal } = options;
  const store = createHookFileStore({ ...options, dir });
  for (;;) {
    signal?.throwIfAborted();
    const opened = openIfWhole(store);
    if (opened === undefined) return { kind: "absent" };
    if (opened instanceof HookFileError) return { kind: "corrupt", error: opened };
    const { hook, problems } = opened;
    const driver = driverOf(dir, hook.owner, lock);
    const kind = judge(hook, { driver, lastSign: lastSign(dir, hook), now: now() });
    if (kind === "ended") return { kind, hook };
    if (kind === "running") return { kind, hook, owner: hook.owner, problems };
    if (kind !== "interrupted") return { kind, hook, problems };

    const facts = await inspect(hook, { signal });
    signal?.throwIfAborted();
    let isOurs = false;
    const recovering = store.update((current) => {
      isOurs = current.revision === hook.revision;
      return isOurs ? crash(current, driver, facts, now()) : undefined;
    });
    if (isOurs) return { kind: "crashed", hook: recovering, problems };
    // else somebody has changed it meanwhile: what was found may not hold any more
  }
}

/** The event that carries out what a recovery recommends. */
export function recoveryInput({ recommendedAction, reason }: RecoveryContext): HookInput {
  return { type: RECOVERY_EVENTS[recommendedAction], reason };
}

async function knowsNothing(): Promise<CrashFacts> {
  return {};
}

function openIfWhole(store: HookFileStore): OpenedHookFile | HookFileError | undefined {
  try {
    return store.open();
  } catch (error) {
    if (error instanceof HookFileError && error.code === "ERR_DAMAGED") return error;
    throw error;
  }
}

function lastSign(dir: string, { updatedAt, owner }: HookFile): Date {
  const beat = owner && lastHeartbeat(dir, owner.runId);
  const times = [updatedAt, ...(beat === undefined ? [] : [beat])].map((time) => Date.parse(time));
  return new Date(Math.max(...times.filter((time) => !Number.isNaN(time))));
}
