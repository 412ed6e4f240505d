import { join } from "node:path";
import { nodeFileSystem } from "@quasar/durable";
import { currentBranch, dirtyPaths, type Repository } from "@quasar/git";
import { isAncestor, refSha } from "@quasar/git/history";
import { takeSnapshot } from "@quasar/git/snapshots";
import { removeWorktree } from "@quasar/git/work-trees";
import { messageOf, TasksError } from "../errors.ts";
import type { Ending } from "./ending.ts";
import { keepCommit } from "./keep-commit.ts";
import { keepIgnored } from "./keep-ignored.ts";

export interface Removal {
  readonly isWorkTreeRemoved: boolean;
  readonly isWorkTreeLeft: boolean;
  readonly snapshot: string | undefined;
  /** The folder with what was ignored. */
  readonly ignored: string | undefined;
}

const NOTHING_KEPT: Pick<Removal, "snapshot" | "ignored"> = {
  snapshot: undefined,
  ignored: undefined,
};

/** Removes the work tree after what is uncommitted or ignored in it was kept; where that fails it stays. */
export async function removeTree(ending: Ending): Promise<Removal> {
  const { workspace, repository, tree, options, warnings } = ending;
  const { now, signal, name } = options;
  const isLost =
    repository !== undefined && nodeFileSystem.lstat(workspace.worktreePath) === undefined;
  if (repository === undefined || tree === undefined) {
    const isWorkTreeLeft = !workspace.metadata.isHere && !isLost;
    return { ...NOTHING_KEPT, isWorkTreeRemoved: false, isWorkTreeLeft };
  }
  let { snapshot, ignored } = NOTHING_KEPT;
  try {
    await refuseUnkept(tree, signal);
    const prefix = `refs/quasar/${name}/`;
    const message = `what was uncommitted in the workspace ${name}`;
    snapshot = (await takeSnapshot(tree.root, { prefix, message, now, signal }))?.ref;
    await keepHead(ending, tree);
    ignored = await keepIgnored(ending, tree);
    await removeWorktree(repository.root, tree.root, { signal });
    return { isWorkTreeRemoved: true, isWorkTreeLeft: false, snapshot, ignored };
  } catch (error) {
    signal?.throwIfAborted();
    warnings.push(`the work tree ${tree.root} stays: ${messageOf(error)}`);
    return { isWorkTreeRemoved: false, isWorkTreeLeft: true, snapshot, ignored };
  }
}

/** A snapshot has nothing of repositories within the work tree: theirs would be lost. */
async function refuseUnkept(
  { root, gitDir }: Repository,
  signal: AbortSignal | undefined,
): Promise<void> {
  if (nodeFileSystem.lstat(join(gitDir, "modules")) !== undefined) {
    throw new TasksError("ERR_DIRTY", "it has submodules, which no snapshot keeps");
  }
  const nested = (await dirtyPaths(root, { signal })).find(({ path }) => path.endsWith("/"));
  if (nested === undefined) return;
  const message = `${JSON.stringify(nested.path)} in it is a repository, which no snapshot keeps`;
  throw new TasksError("ERR_DIRTY", message);
}

/** Commits that somebody has made there on no branch, or on another one, which stays by itself. */
async function keepHead({ workspace, options }: Ending, tree: Repository): Promise<void> {
  const { signal, name } = options;
  const head = await refSha(tree.root, "HEAD", { signal });
  const isDetached = (await currentBranch(tree.root, { signal })) === undefined;
  if (head === undefined || !isDetached) return;
  const branch = await refSha(tree.root, `refs/heads/${workspace.branch}`, { signal });
  if (branch !== undefined && (await isAncestor(tree.root, head, branch, { signal })) === true)
    return;
  await keepCommit(tree.root, { prefix: `refs/quasar/${name}/head`, sha: head }, signal);
}
