import { basename, join } from "node:path";
import { nodeFileSystem } from "@quasar/durable";

/** The folder of one task. */
export interface TaskFolder {
  /** As the folders are named. */
  readonly workspaceId: string;
  readonly taskId: string;
  readonly dir: string;
}

/**
 * The folders `<workspace>/tasks/<task>` of a folder of workspaces, by name; none where there is none.
 * Links below it are not followed.
 */
export function listTaskFolders(workspacesDir: string): readonly TaskFolder[] {
  return foldersIn(workspacesDir).flatMap((name) => taskFoldersOf(join(workspacesDir, name)));
}

/** The folders of one workspace's tasks, by name. */
export function taskFoldersOf(workspaceDir: string): readonly TaskFolder[] {
  const tasks = join(workspaceDir, "tasks");
  if (nodeFileSystem.lstat(tasks)?.kind !== "directory") return [];
  const workspaceId = basename(workspaceDir);
  return foldersIn(tasks).map((taskId) => ({ workspaceId, taskId, dir: join(tasks, taskId) }));
}

function foldersIn(dir: string): readonly string[] {
  if (nodeFileSystem.lstat(dir) === undefined) return [];
  const names = nodeFileSystem.readdir(dir).toSorted();
  return names.filter((name) => nodeFileSystem.lstat(join(dir, name))?.kind === "directory");
}
