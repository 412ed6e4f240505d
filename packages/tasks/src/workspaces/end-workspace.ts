import { dirtyPaths } from "@quasar/git";
import { removeHookFile } from "@quasar/hookfile/folders";
import { uninstallGitHook } from "@quasar/hookfile/git-hook";
import type { ChainHead, KeyManager } from "@quasar/receipts";
import { messageOf, TasksError } from "../errors.ts";
import type { Ending, EndWorkspaceOptions } from "./ending.ts";
import { buriedIn } from "./list-workspaces.ts";
import { refuseTooMuchIgnored } from "./keep-ignored.ts";
import { type KeptRefs, removeWorkspaceRefs } from "./remove-refs.ts";
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
  readonly workTree: string;
  readonly isWorkTreeRemoved: boolean;
  /** The repository that its branch is, or was, in. */
  readonly repoPath: string;
  /** The ref that has what was uncommitted: in git, or in the bundle. */
  readonly snapshot?: string | undefined;
  /** The folder that has what was ignored, but for caches and dependencies. */
  readonly ignored?: string | undefined;
  /** In the bundle, the ref of a branch that was merged nowhere. */
  readonly keptBranch?: string | undefined;
  /** The file with all of what git kept that was merged nowhere, for `git fetch`. */
  readonly bundle?: string | undefined;
  /** Ids of the tasks that there are no more. */
  readonly tasks: readonly string[];
  readonly warnings: readonly string[];
}

/**
 * Removes the work tree; branch and tasks stay, and so does what is ignored in the work tree, as a folder in
 * the workspace's.
 *
 * @throws {TasksError} `ERR_NOT_FOUND`; `ERR_ACTIVE` and `ERR_DIRTY` unless forced; `ERR_IGNORED`;
 *   `ERR_LOCKED`; `ERR_DAMAGED`. What else goes wrong is a warning.
 */
export async function closeWorkspace(options: EndWorkspaceOptions): Promise<EndedWorkspace> {
  return whileNothingStarts(options, () =>
    whileWorkspaceIdle(options, async (ending) => {
      if (options.force !== true) await refuseDirty(ending);
      await refuseTooMuchIgnored(ending);
      const removal = await removeTree(ending);
      if (!removal.isWorkTreeLeft) mark(ending, "closed");
      return report(ending, removal, {});
    }),
  );
}

/**
 * Removes work tree, branch and tasks. What is uncommitted or merged nowhere is kept in a bundle in the
 * workspace's folder, what is ignored in a folder beside it, each task as an archive beside its tombstone; no ref of the workspace is left.
 * What a crash has interrupted is ended by the next call.
 *
 * @throws {TasksError} `ERR_NOT_FOUND`; `ERR_ACTIVE` unless forced; `ERR_IGNORED`; `ERR_LOCKED`;
 *   `ERR_DAMAGED`. What else goes wrong is a warning, and what it concerns stays.
 * @see SPEC.md, "Destroy"
 */
export async function destroyWorkspace(options: DestroyWorkspaceOptions): Promise<EndedWorkspace> {
  return whileNothingStarts(options, () =>
    whileWorkspaceIdle(options, async (ending) => {
      await refuseTooMuchIgnored(ending);
      const removal = await removeTree(ending);
      const kept = removal.isWorkTreeLeft ? {} : await removeWorkspaceRefs(ending);
      ending.dispose(); // each removal takes the task's lock for itself
      const tasks = await removeTasks(ending, options);
      const isWhole = !removal.isWorkTreeLeft && tasks.length === ending.tasks.length;
      if (isWhole) mark(ending, "destroyed");
      return report(ending, removal, { ...kept, tasks });
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
  { isWorkTreeRemoved, snapshot, ignored }: Removal,
  { bundle, keptBranch, tasks = [] }: Partial<KeptRefs> & Pick<Partial<EndedWorkspace>, "tasks">,
): EndedWorkspace {
  return {
    name: workspace.name,
    workTree: workspace.worktreePath,
    repoPath: workspace.repoPath,
    isWorkTreeRemoved,
    ...(snapshot !== undefined && { snapshot }),
    ...(ignored !== undefined && { ignored }),
    ...(keptBranch !== undefined && { keptBranch }),
    ...(bundle !== undefined && { bundle }),
    tasks,
    warnings,
  };
}
