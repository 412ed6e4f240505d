import type { Repository } from "@quasar/git";
import { fullDiskOf, messageOf } from "@quasar/runs/internal";
import { isUnreachable, pause } from "./reach.ts";
import { fetchRun, type RunToFetch } from "./run-folder.ts";

/** What may be over in a moment is tried so often. */
const TRIES = 3;

/**
 * Has the folder of a run be here, as `fetchRun` does.
 *
 * @returns Why the depot has one that no machine can fetch; `""`: nothing is in the way.
 * @throws Where the depot is out of reach, and where the disk is full; the signal's reason
 */
export async function takeRun(repository: Repository, run: RunToFetch): Promise<string> {
  for (let tries = 1; ; tries += 1) {
    try {
      await fetchRun(repository, run);
      return "";
    } catch (error) {
      run.signal.throwIfAborted();
      if (isUnreachable(error) || fullDiskOf(error) !== undefined) throw error;
      if (tries === TRIES) return messageOf(error);
      await pause(run.signal);
    }
  }
}
