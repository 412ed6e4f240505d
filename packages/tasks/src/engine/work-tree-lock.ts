import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { listRunProcesses, type RunProcess } from "@quasar/agents";
import { acquireLock, type Lock } from "@quasar/durable";
import { GitError, isInWorkTree, openRepository, type Repository } from "@quasar/git";
import { TasksError } from "../errors.ts";
import { lockedBy } from "../locked-by.ts";
import { plainLine } from "../plain.ts";

/**
 * Takes the lock that every runner of ours holds while it works in a work tree, and makes sure that no
 * agent works there whose runner is gone; the task's own are for its steps to see to.
 *
 * @throws {TasksError} `ERR_LOCKED`; `ERR_NOT_FOUND` where the folder is no work tree. {GitError}
 */
export async function lockWorkTree(worktree: string, taskId: string): Promise<Lock> {
  const { root, gitDir } = await openTree(worktree);
  const folder = join(gitDir, "quasar");
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const lock = lockedBy(`works in ${worktree}`, () => acquireLock(join(folder, "lock")));
  try {
    await refuseOthers(root, taskId);
    return lock;
  } catch (error) {
    lock.release();
    throw error;
  }
}

async function refuseOthers(root: string, taskId: string): Promise<void> {
  const isOther = ({ runId, workDir }: RunProcess): boolean =>
    !runId.startsWith(`${taskId}-`) &&
    runId !== process.env["QUASAR_RUN_ID"] && // of who has started this one
    isInWorkTree(workDir, root);
  const others = (listRunProcesses() ?? []).filter(isOther);
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
      `the task's work tree ${worktree} is gone: bring it back with git worktree add, ` +
      "or abandon the task";
    throw new TasksError("ERR_NOT_FOUND", message, { cause: error });
  }
}
