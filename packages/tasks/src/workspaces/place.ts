import { basename, dirname, join } from "node:path";
import { nodeFileSystem } from "@quasar/durable";
import { listTaskFolders } from "@quasar/hookfile/folders";
import {
  currentBranch,
  currentGitSha,
  dirtyPaths,
  GitError,
  openRepository,
  type Repository,
} from "@quasar/git";
import { refSha } from "@quasar/git/history";
import { listRefs } from "@quasar/git/snapshots";
import { TasksError } from "../errors.ts";
import type { TaskMetadata, TaskRecord } from "../task-record.ts";
import { readTask } from "../task-store.ts";
import type { Base } from "./base.ts";
import { branchToReuse, chooseWorkspace, type PlaceOptions } from "./choose-workspace.ts";
import { activeIn, workspacesOf } from "./list-workspaces.ts";
import { branchNameOf, numbered } from "./names.ts";
import type { Workspace } from "./workspace.ts";
import { readWorkspace, workspacesDir } from "./workspace-store.ts";

/** Where a new task works. */
export interface Place {
  readonly workspaceId: string;
  /** What the workspace is now; `undefined` for a new one. */
  readonly workspace: Workspace | undefined;
  readonly commonDir: string;
  readonly metadata: TaskMetadata;
}

/**
 * A work tree of its own: that of the workspace of this name where it is free to be used again, else a new
 * one on a new branch.
 */
export async function placeApart(
  options: PlaceOptions & { readonly base: Base; readonly branchPrefix: string },
): Promise<Place> {
  const { home, repository, base, branchPrefix, now, signal } = options;
  const { commonDir } = repository;
  const { workspaceId, workspace, sha } = await chooseWorkspace(options, (found) =>
    branchToReuse(found, options),
  );
  if (workspace !== undefined && sha !== undefined) {
    const { branch, worktreePath, repoPath, metadata } = workspace;
    const { baseBranch } = metadata;
    const reused = { branch, worktreeDir: worktreePath, repoPath, baseSha: sha, baseBranch };
    return { workspaceId, workspace, commonDir, metadata: { ...reused, isHere: false } };
  }
  const refs = (await listRefs(repository.root, "refs/", { signal })).map(({ ref }) => ref);
  const repoPath = await lastingWorkTree(repository, signal);
  return {
    workspaceId,
    workspace: undefined,
    commonDir,
    metadata: {
      branch: branchNameOf({ prefix: branchPrefix, workspace: workspaceId, now }, refs),
      worktreeDir: freeFolder(home, repoPath, workspaceId),
      isHere: false,
      repoPath,
      baseSha: base.sha,
      baseBranch: base.branch,
    },
  };
}

/** The work tree that it is started in, on the branch that is checked out. */
export async function placeHere(
  options: PlaceOptions & { readonly base: string | undefined; readonly acceptDirty: boolean },
): Promise<Place> {
  const { home, repository, base: baseBranch = "", acceptDirty, signal } = options;
  const { root, commonDir } = repository;
  refuseActiveIn(home, root);
  const branch = await currentBranch(root, { signal });
  const baseSha = await currentGitSha(root, { signal });
  if (branch === undefined) {
    const message = `no branch is checked out in ${root}: git switch -c <name> makes one`;
    throw new TasksError("ERR_NOT_FOUND", message);
  }
  if (!acceptDirty) await refuseDirty(root, signal);
  const { workspaceId, workspace } = await chooseWorkspace(options, (found) =>
    Promise.resolve(
      found.metadata.isHere && found.worktreePath === root && found.branch === branch
        ? baseSha
        : undefined,
    ),
  );
  const repoPath = await lastingWorkTree(repository, signal);
  const metadata = { branch, worktreeDir: root, isHere: true, repoPath, baseSha, baseBranch };
  return { workspaceId, workspace, commonDir, metadata };
}

/** The workspace and the branch of a task that has ended, with what is uncommitted there. */
export async function placeAfter(
  { home, repository, signal }: Pick<PlaceOptions, "home" | "repository" | "signal">,
  fromTask: string,
): Promise<Place & { readonly before: TaskRecord }> {
  const folder = listTaskFolders(workspacesDir(home)).find(({ taskId }) => taskId === fromTask);
  const dir = folder && dirname(dirname(folder.dir));
  const workspace = dir === undefined ? undefined : readWorkspace(dir);
  if (folder === undefined || dir === undefined || workspace === undefined) {
    throw new TasksError("ERR_NOT_FOUND", `there is no task ${JSON.stringify(fromTask)}`);
  }
  const { commonDir, root } = repository;
  if (workspace.metadata.commonDir !== commonDir) {
    const message = `the task ${fromTask} is of another repository: ${workspace.repoPath}`;
    throw new TasksError("ERR_NOT_FOUND", message);
  }
  const before = readTask(folder.dir);
  refuseActiveIn(home, before.metadata.worktreeDir);
  const { branch } = before.metadata;
  if ((await refSha(root, `refs/heads/${branch}`, { signal })) === undefined) {
    throw new TasksError("ERR_NOT_FOUND", `the branch ${branch} of the task ${fromTask} is gone`);
  }
  const metadata = { ...before.metadata, fromTask, context: contextOf(before) };
  return { workspaceId: workspace.name, workspace, commonDir, metadata, before };
}

/** The main work tree, which no task's end removes; the one at hand where there is none. */
async function lastingWorkTree(
  { root, commonDir }: Repository,
  signal: AbortSignal | undefined,
): Promise<string> {
  if (basename(commonDir) !== ".git") return root;
  try {
    const main = await openRepository(dirname(commonDir), { signal });
    return main.commonDir === commonDir ? main.root : root;
  } catch (error) {
    if (error instanceof GitError) return root;
    throw error;
  }
}

function freeFolder(home: string, repoPath: string, workspaceId: string): string {
  const used = new Set(
    workspacesOf(home).map((each) => each.kind === "readable" && each.workspace.worktreePath),
  );
  const parent = dirname(repoPath);
  for (const name of numbered(`${basename(repoPath)}-${workspaceId}`)) {
    const path = join(parent, name);
    if (nodeFileSystem.lstat(path) === undefined && !used.has(path)) return path;
  }
  throw new Error("there is no end to the names");
}

function refuseActiveIn(home: string, worktree: string): void {
  const id = activeIn(home, worktree);
  if (id === undefined) return;
  throw new TasksError("ERR_ACTIVE", `the task ${id} in ${worktree} has not ended`);
}

async function refuseDirty(root: string, signal: AbortSignal | undefined): Promise<void> {
  const [first, ...rest] = await dirtyPaths(root, { signal });
  if (first === undefined) return;
  const others = rest.length === 0 ? "" : ` and ${rest.length} more`;
  const message = `there is uncommitted work in ${root}: ${JSON.stringify(first.path)}${others}`;
  throw new TasksError("ERR_DIRTY", message);
}

const MOST_OF_A_STEP = 1000;
const MOST_CONTEXT = 16_000;

/** For a prompt. */
function contextOf({ id, description, status, steps, stepResults }: TaskRecord): string {
  const lines = steps.map(({ name, status: became }, index) => {
    const said = stepResults.findLast(({ stepIndex }) => stepIndex === index)?.output.trim() ?? "";
    const shown = said.slice(0, MOST_OF_A_STEP).toWellFormed();
    return `- ${name}: ${became}${shown === "" ? "" : `\n${shown.replace(/^/gm, "  ")}`}`;
  });
  const text = `The task ${id} (${status}) was: ${description}\n\n${lines.join("\n")}`;
  return text.slice(0, MOST_CONTEXT).toWellFormed();
}
