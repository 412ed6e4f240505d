import type { Repository } from "@quasar/git";
import { type CloneOptions, fetchBranch } from "./clone.ts";
import type { LaneRef } from "./lane-ref.ts";

/**
 * Takes the lane's ref from its holder before, and has the branch here be where it is at the depot: from then on nobody else
 * lands.
 */
export async function takeLane(
  repository: Repository,
  laneRef: Pick<LaneRef, "take">,
  where: Omit<CloneOptions, "root">,
): Promise<void> {
  await laneRef.take(await fetchBranch(repository, where));
  // Its holder before may have landed until then.
  await fetchBranch(repository, where);
}
