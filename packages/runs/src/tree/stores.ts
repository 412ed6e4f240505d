import { join } from "node:path";
import {
  type Checkpoint,
  CheckpointError,
  type CheckpointStore,
  createFileCheckpointStore,
  type FileCheckpointStore,
  type FileCheckpointStoreOptions,
  type LoadedCheckpoint,
} from "@quasar/checkpoint";

/** Where the checkpoint of a run is kept: while it is unfinished, and once it has ended. */
export interface RunStores {
  readonly current: FileCheckpointStore;
  readonly archive: FileCheckpointStore;
}

/** @param dir - The run's folder. Without a `sealKey` a checkpoint's origin is not judged. */
export function storesIn(
  dir: string,
  sealed: Pick<FileCheckpointStoreOptions, "sealKey" | "repositoryId">,
): RunStores {
  return {
    current: createFileCheckpointStore({ dir, ...sealed }),
    archive: createFileCheckpointStore({ dir: join(dir, "archive"), ...sealed }),
  };
}

/**
 * The store that a loop writes to. What the loop removes, because the run is done, is in the archive first: whoever
 * comes after a crash finds it there.
 *
 * @param noted - What is stored of a checkpoint. @default as it is
 */
export function archivingStore(
  { current, archive }: RunStores,
  noted: (checkpoint: Checkpoint) => Checkpoint = (checkpoint) => checkpoint,
): CheckpointStore {
  return {
    save: (checkpoint) => current.save(noted(checkpoint)),
    load: (phaseId) => current.load(phaseId),
    loadAll: () => current.loadAll(),
    async remove(phaseId) {
      const loaded = await current.load(phaseId);
      if (loaded !== undefined) await archive.save(noted(loaded.checkpoint));
      await current.remove(phaseId);
    },
  };
}

/** A store that changes nothing where `before` throws: another process drives, or what happened is not on record. */
export function guardedStore<T extends CheckpointStore>(store: T, before: () => void): T {
  return {
    ...store,
    async save(checkpoint: Checkpoint) {
      before();
      await store.save(checkpoint);
    },
    async remove(phaseId?: string) {
      before();
      await store.remove(phaseId);
    },
  };
}

/**
 * Makes a folder ready and loads from it; a generation that is damaged is quarantined.
 *
 * @throws {CheckpointError} `ERR_DAMAGED` where none is left that can be used: a run that was begun is not taken for
 *   one that was not.
 */
export async function recoverAndLoad(
  store: FileCheckpointStore,
): Promise<LoadedCheckpoint | undefined> {
  const { quarantined } = await store.recover();
  const loaded = await store.load();
  if (quarantined.length === 0) return loaded;
  const asides = quarantined.join(", ");
  if (loaded === undefined) {
    const message = `the checkpoint is damaged; quarantined as ${asides}`;
    throw new CheckpointError("ERR_DAMAGED", message);
  }
  const problem = `a damaged checkpoint was quarantined as ${asides}; the one before it is used`;
  return { ...loaded, problems: [...loaded.problems, problem] };
}
