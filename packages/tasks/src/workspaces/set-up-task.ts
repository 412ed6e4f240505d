import { nodeFileSystem } from "@quasar/durable";
import { currentBranch, openRepository, type Repository } from "@quasar/git";
import { isAncestor, refSha } from "@quasar/git/history";
import { createWorktree, listWorktrees, removeWorktree } from "@quasar/git/work-trees";
import { TasksError } from "../errors.ts";
import type { TaskRecord } from "../task-record.ts";
import { clearHalfMade } from "./half-made.ts";
import { oneAtATime } from "./set-up-lock.ts";

export interface SetUpTaskOptions {
  readonly task: TaskRecord;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Makes the task's branch and work tree, or takes what is there of them: to be called in `initializing`,
 * as often as crashes want it. What a crash has left half made is made again. Call it while the task is
 * locked.
 *
 * @throws {TasksError} `ERR_EXISTS` where something else is at the work tree's place; `ERR_CHANGED` where
 *   another branch is checked out, or the branch is not where the task began. {@link GitError}
 * @see SPEC.md, "Set-up"
 */
export async function setUpTask({ task, signal }: SetUpTaskOptions): Promise<void> {
  const { metadata } = task;
  const repository = await openRepository(metadata.repoPath, { signal });
  if (metadata.isHere) return adopt(repository, task, signal);
  await oneAtATime(repository, signal, () => makeOrAdopt(repository, task, signal));
}

async function makeOrAdopt(
  repository: Repository,
  task: TaskRecord,
  signal: AbortSignal | undefined,
): Promise<void> {
  const { metadata } = task;
  const env = { QUASAR_RUN_ID: `${task.id}-set-up` };
  await clearHalfMade(repository, metadata.worktreeDir, env.QUASAR_RUN_ID);
  const { worktreeDir: path, branch } = metadata;
  const { root } = repository;
  const isThere = nodeFileSystem.lstat(path) !== undefined;
  const known = (await listWorktrees(root, { signal })).find((each) => each.path === path);
  if (isThere && (known !== undefined || !isEmptyFolder(path))) {
    return adopt(repository, task, signal);
  }
  if (known !== undefined) await removeWorktree(root, path, { signal });
  const from = await startOf(repository, task, signal);
  await createWorktree(root, { path, branch, from, env, signal });
}

async function adopt(
  { commonDir }: Repository,
  { metadata: { worktreeDir, branch } }: TaskRecord,
  signal: AbortSignal | undefined,
): Promise<void> {
  const found = await openRepository(worktreeDir, { signal }).catch((error: unknown) => {
    signal?.throwIfAborted();
    throw strange(worktreeDir, error);
  });
  if (found.commonDir !== commonDir || found.root !== worktreeDir) throw strange(worktreeDir);
  const current = await currentBranch(worktreeDir, { signal });
  if (current === branch) return;
  const is = current === undefined ? "no branch" : `the branch ${current}`;
  const message = `${is} is checked out in ${worktreeDir}, the task's is ${branch}`;
  throw new TasksError("ERR_CHANGED", message);
}

/** What the branch is to be made at; `undefined` where it is there. */
async function startOf(
  { root }: Repository,
  { metadata: { branch, baseSha, fromTask } }: TaskRecord,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  const sha = await refSha(root, `refs/heads/${branch}`, { signal });
  if (sha === undefined) return baseSha;
  if (sha === baseSha) return undefined;
  const goesOn = fromTask !== undefined && (await isAncestor(root, baseSha, sha, { signal }));
  if (goesOn === true) return undefined;
  const message = `the branch ${branch} is at ${sha}, the task began at ${baseSha}`;
  throw new TasksError("ERR_CHANGED", message);
}

function isEmptyFolder(path: string): boolean {
  const isFolder = nodeFileSystem.lstat(path)?.kind === "directory";
  return isFolder && nodeFileSystem.readdir(path).length === 0;
}

function strange(path: string, cause?: unknown): TasksError {
  const message = `${path} is there, and is no work tree of the task's repository`;
  return new TasksError("ERR_EXISTS", message, { cause });
}
