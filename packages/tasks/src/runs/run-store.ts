import { join } from "node:path";
import {
  CheckpointError,
  type CheckpointStore,
  createFileCheckpointStore,
  type FileCheckpointStore,
  type LoadedCheckpoint,
} from "@quasar/checkpoint";
import { TasksError } from "../errors.ts";

/** Where the checkpoint of a run is kept: while it goes on, and once it has ended. */
export interface RunStore {
  readonly current: FileCheckpointStore;
  readonly archive: FileCheckpointStore;
}

/** The folder of a task's runs, each in one of its name. */
export function runsFolder(taskDir: string): string {
  return join(taskDir, "runs");
}

/** @param sealKey - Without it a checkpoint's origin is not judged. */
export function runStore(dir: string, taskId: string, sealKey?: Uint8Array): RunStore {
  const sealed = { sealKey, repositoryId: taskId };
  return {
    current: createFileCheckpointStore({ dir, ...sealed }),
    archive: createFileCheckpointStore({ dir: join(dir, "archive"), ...sealed }),
  };
}

/**
 * The store that the loop writes to. What the loop removes, because the run is done, is in the archive
 * first: whoever comes after a crash finds it there.
 *
 * @param holdsLock - Where it is `false`, nothing is changed.
 */
export function archivingStore(
  { current, archive }: RunStore,
  holdsLock: () => boolean = () => true,
): CheckpointStore {
  const requireLock = (): void => {
    if (!holdsLock()) throw new TasksError("ERR_LOCKED", "another process drives the task");
  };
  return {
    async save(checkpoint) {
      requireLock();
      await current.save(checkpoint);
    },
    load: (phaseId) => current.load(phaseId),
    loadAll: () => current.loadAll(),
    async remove(phaseId) {
      requireLock();
      const loaded = await current.load(phaseId);
      if (loaded !== undefined) await archive.save(loaded.checkpoint);
      await current.remove(phaseId);
    },
  };
}

/**
 * Makes a folder ready and loads from it; a generation that is damaged is set aside.
 *
 * @throws {CheckpointError} `ERR_DAMAGED` when none is left that can be used: a run that was begun is
 *   not taken for one that was not.
 */
export async function recoverRun(
  store: FileCheckpointStore,
): Promise<LoadedCheckpoint | undefined> {
  const { setAside } = await store.recover();
  const loaded = await store.load();
  if (setAside.length === 0) return loaded;
  const asides = setAside.join(", ");
  if (loaded === undefined) {
    throw new CheckpointError("ERR_DAMAGED", `it is damaged and was set aside as ${asides}`);
  }
  const problem = `a damaged checkpoint was set aside as ${asides}; the one before it is used`;
  return { ...loaded, problems: [...loaded.problems, problem] };
}
