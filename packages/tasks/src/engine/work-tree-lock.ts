import type { Lock } from "@quasar/durable";
import { GitError, openRepository, type Repository } from "@quasar/git";
import { foreignProcessesIn } from "@quasar/runs/tree";
import { TasksError } from "../errors.ts";
import { plainLine } from "../plain.ts";
import { lockTree } from "../tree-lock.ts";

/**
 * Takes the lock of a work tree, and makes sure that no agent works there whose runner is gone; the task's own are for its steps to see to.
 *
 * @throws {TasksError} `ERR_LOCKED`; `ERR_NOT_FOUND` where the folder is no work tree. {GitError}
 */
export async function lockWorkTree(worktree: string, taskId: string): Promise<Lock> {
  const { root, gitDir } = await openTree(worktree);
  const lock = await lockTree(gitDir, worktree);
  try {
    refuseOthers(root, taskId);
    return lock;
  } catch (error) {
    lock.release();
    throw error;
  }
}

function refuseOthers(root: string, taskId: string): void {
  const others = foreignProcessesIn(root, (runId) => runId.startsWith(`${taskId}-`));
  if (others.length === 0) return;
  const list = others.map(({ pid, runId }) => `${pid} (run ${plainLine(runId, 100)})`).join(", ");
  const message = `processes of another run are in ${root}: ${list}; end it, or kill them`;
  throw new TasksError("ERR_LOCKED", message);
}

async function openTree(worktree: string): Promise<Repository> {
  try {
    return await openRepository(worktree);
  } catch (error) {
    if (!(error instanceof GitError) || error.code !== "ERR_NOT_A_REPOSITORY") throw error;
    const message =
      `the task's work tree ${worktree} is gone: bring it back with git worktree add --force, ` +
      "or abandon the task";
    throw new TasksError("ERR_NOT_FOUND", message, { cause: error });
  }
}
