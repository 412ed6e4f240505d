import { NebulaError } from "../errors.ts";
import { type LoadedNebula, loadNebula } from "../spec/load.ts";
import { nebulaHome } from "../state/home.ts";
import type { NebulaState } from "../state/state.ts";
import { changesAnything, type NebulaUpdate, planUpdate } from "../people/update.ts";

/** What a nebula would take over of its folder, or why an update is refused. */
export type Edited = NebulaUpdate | NebulaError;

/**
 * What the folder of a nebula says that its copy does not; `undefined`: nothing, or there is no folder to read.
 *
 * @param loaded - The folder as it is now. @default the one that it was begun from
 */
export function editedSince(
  commonDir: string,
  state: NebulaState,
  loaded: LoadedNebula | undefined = folderOf(state),
): Edited | undefined {
  if (loaded === undefined || state.archivedFrom !== "") return undefined;
  try {
    const update = planUpdate(nebulaHome(commonDir, state.id), state, loaded);
    return changesAnything(update) ? update : undefined;
  } catch (error) {
    if (!(error instanceof NebulaError)) throw error;
    // What an update would refuse has changed, too; of a damaged copy nothing is known.
    return error.code === "ERR_DAMAGED" ? undefined : error;
  }
}

/** Whether an update would have a nebula take anything: what its phases keep is another text for good. */
export function takesAnything({
  updates,
  isChanged,
}: Pick<NebulaUpdate, "updates" | "isChanged">): boolean {
  return isChanged || updates.some(({ what }) => what !== "kept" && what !== "gone");
}

function folderOf({ dir }: NebulaState): LoadedNebula | undefined {
  try {
    return loadNebula(dir);
  } catch {
    // It is gone, or another user's: the nebula is worked on by its copy.
    return undefined;
  }
}
