import { join } from "node:path";
import {
  checkpointPath,
  createFileCheckpointStore,
  type FileCheckpointStore,
} from "@quasar/checkpoint";
import { FOLDER, isRealFolder } from "./real-folder.ts";
import type { CompatibilityCheckpoint } from "./tree/compatible.ts";
import type { RunStores } from "./tree/stores.ts";
import { ignoreOwnFolder } from "./work-tree.ts";
import type { Workspace } from "./workspace.ts";

/** Where a standalone loop's own file is kept: for other programs that know the format. */
export function seedStore(
  { root, repositoryId }: Workspace,
  sealKey: Uint8Array | undefined,
): FileCheckpointStore {
  return createFileCheckpointStore({ dir: join(root, FOLDER), sealKey, repositoryId });
}

/** Takes the seed's file away if it is of this run, so that nothing brings the run back. */
export async function forgetSeed(workspace: Workspace, runId: string): Promise<void> {
  if (!isRealFolder(join(workspace.root, FOLDER))) return;
  const seed = seedStore(workspace, undefined);
  // One that cannot be read is nobody's.
  const loaded = await seed.load().catch(() => undefined);
  if (loaded?.checkpoint.runId === runId) await seed.remove();
}

/** Where a run keeps its compatibility checkpoint, if not in the work tree's own folder. */
export interface CompatibleIn {
  /** Absolute path of a folder that is there. */
  readonly dir: string;
  /** It is part of the file's name. */
  readonly phaseId: string;
  readonly nebulaName: string;
}

/** What {@link compatibleOf} makes a compatibility checkpoint of. */
export interface CompatibleOptions {
  readonly sealKey: Uint8Array | undefined;
  readonly stores: RunStores;
  /** What is stored of it. */
  readonly noting: (store: FileCheckpointStore) => FileCheckpointStore;
  /** @default the work tree's own folder */
  readonly elsewhere?: CompatibleIn | undefined;
}

/**
 * The compatibility checkpoint: written only where the run's own is, which a resume takes first. Git is told to
 * pass over the work tree's folder before each save there, since an agent may have cleaned it. Elsewhere one of
 * the Go original, which names no run, is left alone.
 */
export function compatibleOf(
  workspace: Workspace,
  { sealKey, stores: { current }, noting, elsewhere }: CompatibleOptions,
): CompatibilityCheckpoint {
  const { root, repositoryId } = workspace;
  const dir = elsewhere?.dir ?? join(root, FOLDER);
  const store = noting(createFileCheckpointStore({ dir, sealKey, repositoryId }));
  const isOthers = async (phaseId?: string): Promise<boolean> =>
    elsewhere !== undefined && (await store.load(phaseId))?.checkpoint.runId === "";
  const following: FileCheckpointStore = {
    ...store,
    async save(checkpoint) {
      if ((await current.list()).heads.length === 0) return;
      if (elsewhere === undefined) ignoreOwnFolder(root);
      const { phaseId } = checkpoint;
      if (await isOthers(phaseId)) {
        throw new Error(`${checkpointPath(dir, phaseId)} is another program's, and left alone`);
      }
      await store.save(checkpoint);
    },
    async remove(phaseId) {
      if (!(await isOthers(phaseId))) await store.remove(phaseId);
    },
  };
  return { ...elsewhere, store: following, dir };
}
