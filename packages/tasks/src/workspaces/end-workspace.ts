import { dirtyPaths } from "@quasar/git";
import { removeHookFile, uninstallGitHook } from "@quasar/hookfile";
import type { ChainHead, KeyManager } from "@quasar/receipts";
import { messageOf, TasksError } from "../errors.ts";
import type { Ending, EndWorkspaceOptions } from "./ending.ts";
import { buriedIn } from "./list-workspaces.ts";
import { removeBranch } from "./remove-branch.ts";
import { type Removal, removeTree } from "./remove-tree.ts";
import { whileNothingStarts } from "./start-lock.ts";
import { whileWorkspaceIdle } from "./while-workspace-idle.ts";
import type { WorkspaceStatus } from "./workspace.ts";
import { writeWorkspace } from "./workspace-store.ts";

export interface DestroyWorkspaceOptions extends EndWorkspaceOptions {
  /** For the tombstones. */
  readonly keys?: Pick<KeyManager, "head"> | undefined;
}

/** What was done, for a person. */
export interface EndedWorkspace {
  readonly name: string;
  readonly worktreePath: string;
  readonly isWorktreeRemoved: boolean;
  /** The ref that keeps what was uncommitted. */
  readonly snapshot?: string | undefined;
  /** The ref that keeps a branch that was merged nowhere. */
  readonly keptBranch?: string | undefined;
  /** Ids of the tasks that there are no more. */
  readonly tasks: readonly string[];
  readonly warnings: readonly string[];
}

/**
 * Removes the work tree; branch and tasks stay.
 *
 * @throws {TasksError} `ERR_NOT_FOUND`; `ERR_ACTIVE` and `ERR_DIRTY` unless forced; `ERR_LOCKED`;
 *   `ERR_DAMAGED`. What else goes wrong is a warning.
 */
export async function closeWorkspace(options: EndWorkspaceOptions): Promise<EndedWorkspace> {
  return whileNothingStarts(options, () =>
    whileWorkspaceIdle(options, async (ending) => {
      if (options.force !== true) await refuseDirty(ending);
      const removal = await removeTree(ending);
      if (!removal.isWorktreeLeft) mark(ending, "closed");
      return report(ending, removal, {});
    }),
  );
}

/**
 * Removes work tree, branch and tasks. What is uncommitted is kept as `refs/quasar/<name>/<n>`, a branch
 * that is merged nowhere as `refs/quasar/<name>/branch`, each task as an archive beside its tombstone.
 * What a crash has interrupted is ended by the next call.
 *
 * @throws {TasksError} `ERR_NOT_FOUND`; `ERR_ACTIVE` unless forced; `ERR_LOCKED`; `ERR_DAMAGED`. What
 *   else goes wrong is a warning, and what it concerns stays.
 * @see SPEC.md, "Destroy"
 */
export async function destroyWorkspace(options: DestroyWorkspaceOptions): Promise<EndedWorkspace> {
  return whileNothingStarts(options, () =>
    whileWorkspaceIdle(options, async (ending) => {
      const removal = await removeTree(ending);
      const kept = removal.isWorktreeLeft ? undefined : await removeBranch(ending);
      ending.letGo(); // each removal takes the task's lock for itself
      const tasks = await removeTasks(ending, options);
      const isWhole = !removal.isWorktreeLeft && tasks.length === ending.tasks.length;
      if (isWhole) mark(ending, "destroyed");
      return report(ending, removal, { kept, tasks });
    }),
  );
}

async function refuseDirty({ tree, options: { signal } }: Ending): Promise<void> {
  if (tree === undefined || (await dirtyPaths(tree.root, { signal })).length === 0) return;
  const message = `there is uncommitted work in ${tree.root}; --force keeps it as a snapshot`;
  throw new TasksError("ERR_DIRTY", message);
}

/** @returns The ids of those that are gone. */
async function removeTasks(
  { dir: workspaceDir, tasks, workspace, repository, warnings }: Ending,
  { now, keys, signal }: DestroyWorkspaceOptions,
): Promise<readonly string[]> {
  const headOf = (taskId: string): ChainHead | undefined => {
    try {
      return keys?.head({ workspaceId: workspace.name, taskId });
    } catch (error) {
      warnings.push(`the tombstone of ${taskId} has no head of its receipts: ${messageOf(error)}`);
      return undefined;
    }
  };
  const removed: string[] = [];
  for (const { id, dir } of [...buriedIn(workspaceDir), ...tasks]) {
    try {
      removeHookFile(dir, { now: now(), receiptsHead: () => headOf(id) });
      removed.push(id);
      if (repository === undefined) continue;
      await uninstallGitHook(repository.root, { taskDir: dir, signal });
    } catch (error) {
      signal?.throwIfAborted();
      warnings.push(`the task ${id}: ${messageOf(error)}`);
    }
  }
  return tasks.map(({ id }) => id).filter((id) => removed.includes(id));
}

function mark({ dir, workspace, options }: Ending, status: WorkspaceStatus): void {
  writeWorkspace(dir, { ...workspace, status, updatedAt: options.now().toISOString() });
}

function report(
  { workspace, warnings }: Ending,
  { isWorktreeRemoved, snapshot }: Removal,
  { kept, tasks = [] }: { readonly kept?: string | undefined; readonly tasks?: readonly string[] },
): EndedWorkspace {
  return {
    name: workspace.name,
    worktreePath: workspace.worktreePath,
    isWorktreeRemoved,
    ...(snapshot !== undefined && { snapshot }),
    ...(kept !== undefined && { keptBranch: kept }),
    tasks,
    warnings,
  };
}
