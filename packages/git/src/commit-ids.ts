import type { SignalOptions } from "./head.ts";
import { looseCommit } from "./loose.ts";
import { gitFoldersAt } from "./repository.ts";
import { isSha } from "./revision.ts";
import { git } from "./run.ts";

/**
 * The commit that a person names: by an id or its beginning, a branch, a tag, `HEAD~1`; `undefined`
 * where that names none.
 *
 * @throws {GitError} `ERR_NOT_A_REPOSITORY`, `ERR_GIT_MISSING`; the signal's reason when aborted.
 */
export async function resolveCommit(
  workTree: string,
  name: string,
  options: SignalOptions = {},
): Promise<string | undefined> {
  return objectId(workTree, `${name}^{commit}`, options);
}

/**
 * The tree of a commit; `undefined` where the repository has no such commit.
 *
 * @param commit - A full commit id.
 * @throws {GitError} `ERR_NOT_A_REPOSITORY`, `ERR_GIT_MISSING`; the signal's reason when aborted.
 */
export async function treeOfCommit(
  workTree: string,
  commit: string,
  options: SignalOptions = {},
): Promise<string | undefined> {
  options.signal?.throwIfAborted();
  if (!isSha(commit)) return undefined;
  const folders = await gitFoldersAt(workTree);
  const found = folders && looseCommit(folders, commit);
  return found?.tree ?? objectId(workTree, `${commit}^{tree}`, options);
}

async function objectId(
  workTree: string,
  name: string,
  { signal }: SignalOptions,
): Promise<string | undefined> {
  const args = ["rev-parse", "--verify", "-q", "--end-of-options", name];
  const { exitCode, stdout } = await git("read", workTree, args, { signal });
  const id = stdout.trim();
  return exitCode === 0 && isSha(id) ? id : undefined;
}
