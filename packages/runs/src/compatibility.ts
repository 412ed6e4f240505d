import { join } from "node:path";
import { createFileCheckpointStore, type FileCheckpointStore } from "@quasar/checkpoint";
import { FOLDER, isRealFolder } from "./real-folder.ts";
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

/**
 * The compatibility checkpoint: written only where the run's own is, which a resume takes first. Git is told to
 * pass over its folder before each save, since an agent may have cleaned it.
 */
export function followingStore(
  root: string,
  store: FileCheckpointStore,
  { current }: RunStores,
): FileCheckpointStore {
  return {
    ...store,
    async save(checkpoint) {
      if ((await current.list()).heads.length === 0) return;
      ignoreOwnFolder(root);
      await store.save(checkpoint);
    },
  };
}
