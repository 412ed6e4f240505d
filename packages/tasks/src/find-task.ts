import { join } from "node:path";
import { GitError, openRepository, type Repository } from "@quasar/git";
import { createHookFileStore, type HookFile, HookFileError, isTerminal } from "@quasar/hookfile";
import { listTaskFolders, type TaskFolder } from "@quasar/hookfile/folders";
import { TasksError } from "./errors.ts";
import { workspacesOf } from "./workspaces/list-workspaces.ts";
import type { Workspace } from "./workspaces/workspace.ts";

export interface FindTaskOptions {
  /** ATLAS_HOME, absolute. */
  readonly home: string;
  /** The folder that a person or an agent is in, absolute. */
  readonly cwd: string;
  /** A task's id or the beginning of one, or a workspace's name. @default found by `cwd` */
  readonly id?: string | undefined;
  /** Where nothing continues, the newest that has ended. @default false: it is an error */
  readonly ended?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface FoundTask extends TaskFolder {
  /** As it is stored, unrepaired; `undefined` where it cannot be read: opening it says why. */
  readonly hook: HookFile | undefined;
}

/**
 * The task that is meant: the one that is named; else the active one of the work tree that `cwd` is in;
 * else, where that tree is no task's, the only active one of its repository. In the work tree of a task
 * that has ended no other task is meant.
 *
 * @throws {TasksError} `ERR_NOT_FOUND`; `ERR_AMBIGUOUS`, which lists them.
 * @see SPEC.md, "Which task is meant"
 */
export async function findTask(options: FindTaskOptions): Promise<FoundTask> {
  const { home, id, ended = false } = options;
  const tasks = listTasks(home);
  if (id !== undefined) return named(tasks, id);
  const repository = await openIfThere(options.cwd, options.signal);
  if (repository === undefined) {
    throw new TasksError("ERR_NOT_FOUND", "this folder is in no repository: name the task");
  }
  const here = ofWorkTree(tasks, repository.root, home);
  const candidates = here ?? (await ofRepository(tasks, repository, options));
  const active = candidates.filter(isActive);
  if (active.length > 0) return only(active, "are active here");
  const [newest] = candidates;
  if (newest === undefined) {
    const message =
      here === undefined
        ? "there is no task of this repository"
        : "the task of this work tree was cleaned up";
    throw new TasksError("ERR_NOT_FOUND", message);
  }
  if (ended) return newest;
  const { taskId, hook } = newest;
  const message = `no task is active here; the newest, ${taskId}, is ${hook?.state ?? "unreadable"}`;
  throw new TasksError("ERR_NOT_FOUND", message);
}

/** All tasks below a home, the newest first; one that cannot be read is among them. */
export function listTasks(home: string): readonly FoundTask[] {
  return listTaskFolders(join(home, "workspaces"))
    .map((folder) => ({ ...folder, hook: hookOf(folder.dir) }))
    .filter((task): task is FoundTask => task.hook !== "none")
    .toSorted((one, other) => (timeOf(other) < timeOf(one) ? -1 : 1));
}

/** An unreadable one comes first: it is not to be overlooked. */
function timeOf({ hook }: FoundTask): string {
  return hook?.createdAt ?? "~";
}

/** `none`: what is in the folder is no task, or not any more. */
function hookOf(dir: string): HookFile | undefined | "none" {
  try {
    return createHookFileStore({ dir }).read() ?? "none";
  } catch (error) {
    if (error instanceof HookFileError) return undefined;
    throw error;
  }
}

/** What cannot be read may continue. */
function isActive({ hook }: Pick<FoundTask, "hook">): boolean {
  return hook === undefined || !isTerminal(hook.state);
}

function named(tasks: readonly FoundTask[], id: string): FoundTask {
  const exact = tasks.filter(({ taskId }) => taskId === id);
  if (exact.length > 0) return only(exact, "have this id");
  const ofWorkspace = tasks.filter(({ workspaceId }) => workspaceId === id);
  const active = ofWorkspace.filter(isActive);
  if (active.length > 0) return only(active, `are active in workspace ${id}`);
  const [newest] = ofWorkspace;
  if (newest !== undefined) return newest;
  const begins = tasks.filter(({ taskId }) => isBeginning(id, taskId));
  if (begins.length > 0) return only(begins, `begin with ${id}`);
  throw new TasksError("ERR_NOT_FOUND", `there is no task or workspace ${JSON.stringify(id)}`);
}

/** Of an id also without what all ids begin with. */
function isBeginning(text: string, taskId: string): boolean {
  return text !== "" && (taskId.startsWith(text) || taskId.replace(/^task-/u, "").startsWith(text));
}

function only(tasks: readonly FoundTask[], what: string): FoundTask {
  const [task] = tasks;
  if (task !== undefined && tasks.length === 1) return task;
  const list = tasks.map(({ taskId, workspaceId }) => `${taskId} (${workspaceId})`).join(", ");
  throw new TasksError("ERR_AMBIGUOUS", `${tasks.length} tasks ${what}: ${list}`);
}

async function openIfThere(
  dir: string,
  signal: AbortSignal | undefined,
): Promise<Repository | undefined> {
  try {
    return await openRepository(dir, { signal });
  } catch (error) {
    if (error instanceof GitError && error.isNoWorkTree) return undefined;
    throw error;
  }
}

/**
 * What was ever worked on in a work tree, be it active or not; one that cannot be read, by its workspace.
 * `undefined`: the tree is no task's.
 */
function ofWorkTree(
  tasks: readonly FoundTask[],
  root: string,
  home: string,
): readonly FoundTask[] | undefined {
  const made = new Set(
    workspacesOf(home)
      .filter((each) => each.kind === "readable" && isMadeFor(each.workspace, root))
      .map(({ name }) => name),
  );
  const here = tasks.filter(({ hook, workspaceId }) =>
    hook === undefined ? made.has(workspaceId) : hook.worktreePath === root,
  );
  return here.length > 0 || made.size > 0 ? here : undefined;
}

/** Whether a work tree was made for a workspace: its user's own outlasts the tasks that were done in it. */
function isMadeFor({ worktreePath, metadata }: Workspace, root: string): boolean {
  return worktreePath === root && !metadata.isHere;
}

/** By the repositories' own folder, which all their work trees share. */
async function ofRepository(
  tasks: readonly FoundTask[],
  { root, commonDir }: Repository,
  { signal }: FindTaskOptions,
): Promise<readonly FoundTask[]> {
  const paths = new Set(tasks.map(({ hook }) => hook?.repoPath ?? ""));
  const same = new Set<string>([root]);
  for (const path of paths) {
    if (path === "" || path === root) continue;
    if ((await openIfThere(path, signal))?.commonDir === commonDir) same.add(path);
  }
  return tasks.filter(({ hook }) => hook !== undefined && same.has(hook.repoPath));
}
