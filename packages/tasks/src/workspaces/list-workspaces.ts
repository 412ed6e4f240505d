import { basename, join } from "node:path";
import { nodeFileSystem } from "@quasar/durable";
import { createHookFileStore, type HookState, isTerminal } from "@quasar/hookfile";
import { isBuried, taskFoldersOf } from "@quasar/hookfile/internal";
import { TasksError } from "../errors.ts";
import type { Workspace } from "./workspace.ts";
import { readWorkspace, workspacesDir } from "./workspace-store.ts";

/** A folder of a workspace, and what its workspace.json says. */
export type FoundWorkspace = {
  /** Of the folder. */
  readonly name: string;
  readonly dir: string;
} & WorkspaceFile;

type WorkspaceFile =
  | { readonly kind: "readable"; readonly workspace: Workspace }
  /** `problem`: why it cannot be read, in words. */
  | { readonly kind: "damaged"; readonly problem: string };

/** A workspace and what there is in it. */
export type ListedWorkspace = FoundWorkspace & {
  /** Those that there are, removed ones not, by id. */
  readonly tasks: readonly WorkspaceTask[];
};

interface TaskPlace {
  readonly id: string;
  readonly dir: string;
}

export interface WorkspaceTask extends TaskPlace {
  /** `damaged`: it is unknown whether it has ended. */
  readonly state: HookState | "damaged";
}

/** All workspaces but the destroyed ones, by name, with all their tasks. */
export function listWorkspaces(home: string): readonly ListedWorkspace[] {
  return workspacesOf(home).map((each) => ({ ...each, tasks: [...tasksOf(each.dir)] }));
}

/** All workspaces but the destroyed ones, by name; their tasks are not looked at. */
export function workspacesOf(home: string): readonly FoundWorkspace[] {
  return workspaceFolders(home)
    .map((dir) => ({ name: basename(dir), dir, ...workspaceFile(dir) }))
    .filter((each) => each.kind === "damaged" || each.workspace.status !== "destroyed");
}

function workspaceFolders(home: string): readonly string[] {
  const root = workspacesDir(home);
  if (nodeFileSystem.lstat(root)?.kind !== "directory") return [];
  return nodeFileSystem
    .readdir(root)
    .toSorted()
    .map((name) => join(root, name))
    .filter((dir) => nodeFileSystem.lstat(dir)?.kind === "directory");
}

function workspaceFile(dir: string): WorkspaceFile {
  try {
    const workspace = readWorkspace(dir);
    return workspace === undefined
      ? { kind: "damaged", problem: "there is no workspace.json" }
      : { kind: "readable", workspace };
  } catch (error) {
    if (error instanceof TasksError) return { kind: "damaged", problem: error.message };
    throw error;
  }
}

/** The tasks of a workspace that there are, each read when it is asked for. */
export function* tasksOf(dir: string): Generator<WorkspaceTask> {
  for (const task of taskFoldersOf(dir)) {
    const state = stateOf(task.dir);
    if (state !== undefined) yield { id: task.taskId, dir: task.dir, state };
  }
}

/** Whether there is a task. */
export function hasTasks(dir: string): boolean {
  return tasksOf(dir).next().done === false;
}

/** Whether there is, or was, a task: what a crash has kept from becoming one is none. */
export function hasHadTasks(dir: string): boolean {
  return hasTasks(dir) || buriedIn(dir).length > 0;
}

/** What is left of tasks that were removed. */
export function buriedIn(dir: string): readonly TaskPlace[] {
  const folders = taskFoldersOf(dir).filter((task) => isBuried(task.dir));
  return folders.map((task) => ({ id: task.taskId, dir: task.dir }));
}

/** Whether it may still continue. */
export function mayContinue({ state }: WorkspaceTask): boolean {
  return state === "damaged" || !isTerminal(state);
}

function stateOf(dir: string): HookState | "damaged" | undefined {
  try {
    return createHookFileStore({ dir }).read()?.state;
  } catch {
    return "damaged";
  }
}

/** A task that may still continue in a work tree. */
export function activeIn(home: string, worktree: string): string | undefined {
  return workspacesOf(home)
    .filter((each) => each.kind === "readable" && each.workspace.worktreePath === worktree)
    .flatMap(({ dir }) => [...tasksOf(dir)])
    .find(mayContinue)?.id;
}
