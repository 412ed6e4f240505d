import type { Lock } from "@quasar/durable";
import { stateFolder, takeTreeLock } from "@quasar/runs/tree";
import { whoHas } from "./locked-by.ts";

/**
 * Takes the lock that every runner of ours holds while it works in a work tree.
 *
 * @param gitDir - Of that work tree.
 * @throws {TasksError} `ERR_LOCKED`, which says who has it
 */
export async function lockTree(gitDir: string, worktree: string): Promise<Lock> {
  try {
    return await takeTreeLock(stateFolder(gitDir));
  } catch (error) {
    throw whoHas(`works in ${worktree}`, error);
  }
}
