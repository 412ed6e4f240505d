import { lstatSync, unlinkSync } from "node:fs";
import { uptime } from "node:os";
import { join } from "node:path";
import type { CheckpointTurn } from "@quasar/checkpoint";
import { currentOwner } from "@quasar/durable";
import type { Workspace } from "./workspace.ts";

/**
 * Removes the lock files that git was left with when the power failed: without them no commit could be
 * made again. Only where this machine was started anew since the run's last turn, and only files from
 * before that start: nobody who made one is alive. Call it under the lock of the work tree.
 *
 * @returns the paths of what was removed.
 */
export function removeStaleLocks(
  { gitDir, repositoryId }: Pick<Workspace, "gitDir" | "repositoryId">,
  branch: string | undefined,
  turn: Pick<CheckpointTurn, "bootId" | "host"> | undefined,
): readonly string[] {
  const { bootId, host } = currentOwner();
  if (turn === undefined || turn.bootId === "" || turn.host !== host) return [];
  if (bootId === undefined || bootId === turn.bootId) return [];
  const startedAt = Date.now() - uptime() * 1000;
  const refs = branch === undefined ? [] : [`refs/heads/${branch}`];
  return [
    ...["index", "HEAD"].map((name) => join(gitDir, `${name}.lock`)),
    ...["packed-refs", ...refs].map((name) => join(repositoryId, `${name}.lock`)),
  ].filter((path) => {
    const stat = lstatSync(path, { throwIfNoEntry: false });
    if (stat === undefined || !stat.isFile() || stat.mtimeMs >= startedAt) return false;
    unlinkSync(path);
    return true;
  });
}
