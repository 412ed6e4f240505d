import { type Lock, nodeFileSystem } from "@quasar/durable";
import { GitError, openRepository, type Repository } from "@quasar/git";
import { lockTask } from "@quasar/hookfile/recovery";
import { TasksError } from "../errors.ts";
import { lockedBy } from "../locked-by.ts";
import { endTaskAgents } from "../runs/task-agents.ts";
import { lockTree } from "../tree-lock.ts";
import type { Ending, EndWorkspaceOptions } from "./ending.ts";
import { mayContinue, tasksOf } from "./list-workspaces.ts";
import type { Workspace } from "./workspace.ts";
import { readWorkspace, workspaceDir } from "./workspace-store.ts";

/**
 * Does something to a workspace while nobody drives its tasks or works in its work tree.
 *
 * @throws {TasksError} `ERR_NOT_FOUND`, `ERR_ACTIVE`, `ERR_LOCKED`, `ERR_DAMAGED`
 */
export async function whileWorkspaceIdle<T>(
  options: EndWorkspaceOptions,
  work: (ending: Ending) => Promise<T>,
): Promise<T> {
  const { home, name, force = false, signal } = options;
  const dir = workspaceDir(home, name);
  const workspace = readWorkspace(dir);
  if (workspace === undefined || workspace.status === "destroyed") {
    throw new TasksError("ERR_NOT_FOUND", `there is no workspace ${name}`);
  }
  const tasks = [...tasksOf(dir)];
  const active = tasks.filter(mayContinue);
  if (active[0] !== undefined && !force) {
    const ids = active.map(({ id }) => id).join(", ");
    throw new TasksError("ERR_ACTIVE", `the workspace ${name} has active tasks: ${ids}`);
  }
  const held: Lock[] = [];
  const dispose = (): void => {
    for (const lock of held.splice(0)) lock.release();
  };
  try {
    for (const task of tasks)
      held.push(lockedBy(`works on the task ${task.id}`, () => lockTask(task.dir)));
    for (const task of active) await endTaskAgents(task.dir);
    const warnings: string[] = [];
    const repository = await openOrWarn(workspace.repoPath, { warnings, signal });
    const isOwn = !workspace.metadata.isHere && repository !== undefined;
    const tree = isOwn ? await ownTree(workspace, repository, { warnings, signal }) : undefined;
    if (tree !== undefined) held.push(await lockTree(tree.gitDir, workspace.worktreePath));
    return await work({ options, dir, workspace, tasks, repository, tree, warnings, dispose });
  } finally {
    dispose();
  }
}

interface Telling {
  readonly warnings: string[];
  readonly signal: AbortSignal | undefined;
}

async function openOrWarn(
  path: string,
  { warnings, signal }: Telling,
): Promise<Repository | undefined> {
  try {
    return await openRepository(path, { signal });
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    warnings.push(`the repository ${path} cannot be opened: ${error.message}`);
    return undefined;
  }
}

/** The work tree, if it is there and is a linked one of the repository: nothing else is removed. */
async function ownTree(
  { worktreePath }: Workspace,
  repository: Repository,
  { warnings, signal }: Telling,
): Promise<Repository | undefined> {
  if (nodeFileSystem.lstat(worktreePath) === undefined) return undefined;
  const tree = await openOrWarn(worktreePath, { warnings, signal });
  if (tree === undefined) return undefined;
  const isLinked = tree.commonDir === repository.commonDir && tree.gitDir !== tree.commonDir;
  if (isLinked && tree.root === worktreePath) return tree;
  warnings.push(`${worktreePath} is no linked work tree of ${repository.root}: it stays`);
  return undefined;
}
