import { join } from "node:path";
import * as v from "valibot";
import { absolutePath, flag, folderName, list, oneOf, table, text, time } from "../schemas.ts";
import { loadStored, saveStored, stored } from "../stored-file.ts";
import { checkWorkspaceName } from "./names.ts";
import { type Workspace, WORKSPACE_STATUSES } from "./workspace.ts";

const codec = stored<Workspace>({
  schema: v.object({
    name: folderName,
    path: absolutePath,
    worktreePath: absolutePath,
    branch: text,
    status: oneOf(WORKSPACE_STATUSES),
    tasks: list(folderName),
    repoPath: absolutePath,
    createdAt: time,
    updatedAt: time,
    metadata: table({ commonDir: absolutePath, isHere: flag, baseBranch: text }),
  }),
  keys: [
    "name",
    "path",
    "worktreePath",
    "branch",
    "status",
    "tasks",
    "repoPath",
    "createdAt",
    "updatedAt",
    "metadata",
  ],
  version: 1,
});

/** The folder that all workspaces are in. */
export function workspacesDir(home: string): string {
  return join(home, "workspaces");
}

/** @throws {TasksError} `ERR_UNSAFE_ID` */
export function workspaceDir(home: string, name: string): string {
  return join(workspacesDir(home), checkWorkspaceName(name));
}

/** @returns `undefined` where there is none. @throws {TasksError} `ERR_DAMAGED` */
export function readWorkspace(dir: string): Workspace | undefined {
  return loadStored(join(dir, "workspace.json"), codec);
}

/** Durably, 0600; makes the folder (0700) where it is missing. */
export function writeWorkspace(dir: string, workspace: Workspace): void {
  saveStored(join(dir, "workspace.json"), codec, workspace);
}
