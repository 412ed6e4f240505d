import { checkpointPath, type FileCheckpointStore } from "@quasar/checkpoint";
import { messageOf } from "../errors.ts";
import { shellWord } from "../text/format.ts";

/** Where a loop's compatibility checkpoint is kept: for other programs that know the format. */
export interface CompatibilityCheckpoint {
  readonly store: FileCheckpointStore;
  /** Of the store. */
  readonly dir: string;
  /** `""` for a standalone run. @default "" */
  readonly phaseId?: string | undefined;
  /** @default "" */
  readonly nebulaName?: string | undefined;
}

/** Takes it away, once the run is kept as ended: one that remains brings no run back, so a failure spoils nothing. */
export async function removeCompatible(
  { store, dir, phaseId }: CompatibilityCheckpoint,
  warn: (message: string) => void,
): Promise<void> {
  try {
    await store.remove(phaseId);
  } catch (error) {
    const path = shellWord(checkpointPath(dir, phaseId));
    const why = messageOf(error);
    warn(`the compatibility checkpoint cannot be removed: ${why}\nrm -r ${path}`);
  }
}
