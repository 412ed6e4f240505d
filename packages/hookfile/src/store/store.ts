import type { HookFileStoreOptions, OpenedHookFile } from "./store-options.ts";
import { join } from "node:path";
import { acquireLock, type Lock } from "@quasar/durable";
import type { ValidationReceipt } from "@quasar/receipts";
import type { HistoryRecord } from "./history-record.ts";
import { HookFileError } from "../errors.ts";
import type { Change } from "./entries.ts";
import type { HookEvent, HookFile, NewTask, StepCheckpoint } from "./hook-file.ts";
import { TASK_FILES } from "./files.ts";
import { createHookFiles } from "./hook-files.ts";

/** The files of one task. Everything is on disk when a call returns. */
export interface HookFileStore {
  /** Absolute. */
  readonly dir: string;

  /**
   * Writes the history's first record, hook.json and HOOK.md.
   *
   * @throws {HookFileError} `ERR_EXISTS`; `ERR_INVALID_HOOK_FILE`
   */
  create(task: NewTask): HookFile;

  /**
   * The task, after repairs: hook.json is rolled forward from the history, a damaged one quarantined;
   * where the history lacks what hook.json says, the task awaits a person. HOOK.md is written again
   * where it is stale. Doing it twice gives the same bytes. `undefined` where there is no task.
   *
   * @throws {HookFileError} `ERR_DAMAGED` where nothing that is left says where the task is;
   *   `ERR_INCOMPATIBLE_VERSION`. No file was touched then. {DurableError} `ERR_NOT_DURABLE`
   *   where a repair, or HOOK.md, could not be written: open again.
   */
  open(): OpenedHookFile | undefined;

  /** As `open`, but without the lock and without repairs: for display. */
  read(): HookFile | undefined;

  /**
   * One atomic read-modify-write. `change` gets the task as `open` would return it; what it returns is
   * in the history and in hook.json when the call returns. For `undefined` nothing but repairs is
   * written.
   *
   * When it throws `ERR_NOT_DURABLE`, the change either is there, whole, or is not: open again.
   *
   * @throws {HookFileError} `ERR_STALE`; `ERR_INVALID_HOOK_FILE` where the lists of the new hook are
   *   not the old ones with the entries added, where its state is not that of its events, or where it
   *   cannot be written; `ERR_NO_TASK`. Nothing is changed then.
   */
  update(change: (hook: HookFile) => Change | undefined): HookFile;

  /**
   * As `update`, once `look` has resolved under the same lock: others that change the task wait meanwhile,
   * and nothing else in this process may. For a command, which does one thing at a time.
   *
   * @throws what `look` rejects with: nothing is changed then; as `update`.
   */
  updateAfter(
    look: () => Promise<void>,
    change: (hook: HookFile) => Change | undefined,
  ): Promise<HookFile>;

  /** Every event, oldest first. @throws {HookFileError} `ERR_DAMAGED` where the chain breaks off. */
  history(): Iterable<StoredEvent>;
  /** Every receipt, oldest first. @throws {HookFileError} `ERR_DAMAGED` */
  receipts(): Iterable<ValidationReceipt>;
  /** Every checkpoint, oldest first. @throws {HookFileError} `ERR_DAMAGED` */
  checkpoints(): Iterable<StepCheckpoint>;
}

/** An event and its place. */
export interface StoredEvent {
  /** From 1. */
  readonly number: number;
  /** Of the hook after the change that it came with. */
  readonly revision: number;
  readonly event: HookEvent;
}

/**
 * Keeps one task in its folder: hook.json, the history and HOOK.md. Every change is made under the
 * lock `hook.lock`, which no process that has died still holds.
 *
 * @see SPEC.md, "Files"
 */
export function createHookFileStore(options: HookFileStoreOptions): HookFileStore {
  const { lockTimeoutMs = 10_000 } = options;
  const files = createHookFiles(options);
  const lock = join(files.dir, TASK_FILES.hookLock);
  const acquire = (): Lock => acquireLock(lock, { waitMs: lockTimeoutMs });
  const locked = <T>(work: () => T): T => {
    const held = acquire();
    try {
      return work();
    } finally {
      held.release();
    }
  };
  const requireTask = (): void => {
    if (files.isThere()) return;
    throw new HookFileError("ERR_NO_TASK", `${files.dir}: there is no task`);
  };

  function* each<T>(pick: (record: HistoryRecord) => readonly T[]): Generator<T> {
    for (const record of files.records()) yield* pick(record);
  }

  return {
    dir: files.dir,
    create(task) {
      files.makeFolder();
      return locked(() => files.create(task));
    },
    open: () => (files.isThere() ? locked(() => files.open()) : undefined),
    read: () => files.read(),
    update(change) {
      requireTask();
      return locked(() => files.update(change));
    },
    async updateAfter(look, change) {
      requireTask();
      const held = acquire();
      try {
        await look();
        return files.update(change);
      } finally {
        held.release();
      }
    },
    history: () => each(eventsOf),
    receipts: () => each(({ receipts }) => receipts),
    checkpoints: () => each(({ checkpoints }) => checkpoints),
  };
}

function eventsOf({ position, events }: HistoryRecord): readonly StoredEvent[] {
  const { revision, counts } = position;
  const before = counts.events - events.length;
  return events.map((event, index) => ({ number: before + index + 1, revision, event }));
}
