import { join } from "node:path";
import {
  type Checkpoint,
  type CheckpointStore,
  createFileCheckpointStore,
  type LoadedCheckpoint,
} from "@quasar/checkpoint";
import { toToml, tomlLayer } from "../config/layers.ts";
import type { Settings } from "../config/settings.ts";
import type { Workspace } from "../workspace.ts";

/** Where the checkpoint of a run is kept: while it goes on, and after it has ended. */
export interface RunStores {
  readonly current: CheckpointStore;
  readonly archive: CheckpointStore;
}

/** @param sealKey - Without it a checkpoint's origin is not judged. */
export function runStores(workspace: Workspace, runId: string, sealKey?: Uint8Array): RunStores {
  const dir = join(workspace.runsDir, runId);
  const open = (folder: string): CheckpointStore =>
    createFileCheckpointStore({ dir: folder, sealKey });
  return { current: open(dir), archive: open(join(dir, "archive")) };
}

/** Key of a checkpoint under which the settings of its run are kept. */
const SETTINGS_KEY = "settings";

/**
 * The store that the loop writes to. It adds the run's settings to each checkpoint, so that a resume
 * has the agents and the checks of the run, under the same seal; and what the loop removes when the
 * task is approved goes to the archive first.
 */
export function archivingStore(
  { current, archive }: RunStores,
  settings: Settings,
): CheckpointStore {
  return {
    ...current,
    save(checkpoint) {
      const extra = { ...checkpoint.extra, [SETTINGS_KEY]: toToml(settings) };
      return current.save({ ...checkpoint, extra });
    },
    async remove(phaseId) {
      const loaded = await current.load(phaseId);
      if (loaded !== undefined) await archive.save(loaded.checkpoint);
      await current.remove(phaseId);
    },
  };
}

/** The settings that a run was started with; none for a checkpoint that somebody else wrote. */
export function storedSettings({ extra }: Checkpoint): Partial<Settings> {
  const stored = extra[SETTINGS_KEY];
  if (typeof stored !== "object" || Array.isArray(stored) || stored instanceof Date) return {};
  return tomlLayer("the settings of the run", stored as Readonly<Record<string, unknown>>).values;
}

/** A run as its files say; `checkpoint` is the archived one where `ended`. */
export interface RunFiles {
  readonly loaded: LoadedCheckpoint | undefined;
  readonly ended: boolean;
}

/** @throws {CheckpointError} When the files cannot be read. */
export async function loadRun({ current, archive }: RunStores): Promise<RunFiles> {
  const loaded = await current.load();
  if (loaded !== undefined) return { loaded, ended: false };
  return { loaded: await archive.load(), ended: true };
}
