import { nodeFileSystem } from "@quasar/durable";
import { currentBranch, dirtyPaths, GitError, openRepository, type Repository } from "@quasar/git";
import { refSha } from "@quasar/git/history";
import { TasksError } from "../errors.ts";
import { activeIn, hasHadTasks, hasTasks } from "./list-workspaces.ts";
import { checkWorkspaceName, numbered } from "./names.ts";
import type { Workspace } from "./workspace.ts";
import { readWorkspace, workspaceDir } from "./workspace-store.ts";

export interface PlaceOptions {
  readonly home: string;
  readonly repository: Repository;
  /** What the workspace is to be called. */
  readonly name: string;
  readonly now: Date;
  readonly signal: AbortSignal | undefined;
  readonly onWarning: (message: string) => void;
}

export interface ChosenWorkspace {
  readonly workspaceId: string;
  readonly workspace: Workspace | undefined;
  /** Of a workspace that is used again: what its branch is at. */
  readonly sha: string | undefined;
}

/**
 * The workspace of a name, or of the first of `<name>-2` … that is free or can be used again.
 *
 * @param reuse - The commit that a workspace without active tasks would be continued from; `undefined` where
 *   it cannot be used again.
 */
export async function chooseWorkspace(
  { home, name, repository, onWarning }: PlaceOptions,
  reuse: (workspace: Workspace) => Promise<string | undefined>,
): Promise<ChosenWorkspace> {
  for (const workspaceId of numbered(checkWorkspaceName(name))) {
    const dir = workspaceDir(home, workspaceId);
    const found = lookAt(dir);
    if (found === "free") {
      if (workspaceId !== name)
        onWarning(`the workspace ${name} is in use: this is ${workspaceId}`);
      return { workspaceId, workspace: undefined, sha: undefined };
    }
    if (found === "taken" || found.metadata.commonDir !== repository.commonDir) continue;
    const sha = await reuse(found);
    // On a disk that folds case it has its name from who was first.
    if (sha !== undefined) return { workspaceId: found.name, workspace: found, sha };
  }
  throw new Error("there is no end to the names");
}

function lookAt(dir: string): "free" | "taken" | Workspace {
  try {
    const workspace = readWorkspace(dir);
    if (workspace === undefined || workspace.status === "destroyed") {
      return hasTasks(dir) ? "taken" : "free";
    }
    return hasHadTasks(dir) ? workspace : "free";
  } catch (error) {
    if (error instanceof TasksError) return "taken";
    throw error;
  }
}

/** What the branch of a workspace is at, whose work tree is free to be worked in again. */
export async function branchToReuse(
  { branch, worktreePath, metadata }: Workspace,
  { home, repository, signal, onWarning }: PlaceOptions,
): Promise<string | undefined> {
  if (metadata.isHere || activeIn(home, worktreePath) !== undefined) return undefined;
  const sha = await refSha(repository.root, `refs/heads/${branch}`, { signal });
  if (sha === undefined || nodeFileSystem.lstat(worktreePath) === undefined) return sha;
  try {
    const { commonDir, root } = await openRepository(worktreePath, { signal });
    const isSame = commonDir === repository.commonDir && root === worktreePath;
    if (!isSame || (await currentBranch(root, { signal })) !== branch) return undefined;
    if ((await dirtyPaths(root, { signal })).length === 0) return sha;
    onWarning(`there is uncommitted work in ${root}, so it is not used again`);
    return undefined;
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof GitError) return undefined;
    throw error;
  }
}
