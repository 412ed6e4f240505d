import { join } from "node:path";
import { readWholeFile } from "@quasar/durable";
import { currentBranch, openRepository, type Repository } from "@quasar/git";
import { isRealFolder } from "./real-folder.ts";
import { stateFolder } from "./tree/lock.ts";

/** Where a command works. All paths are absolute. */
export interface Workspace {
  /** The top folder of the work tree. */
  readonly root: string;
  readonly gitDir: string;
  /** The git folder that all work trees share; what a checkpoint's seal is bound to. */
  readonly repositoryId: string;
  /** Where quasar keeps what belongs to this work tree: the lock and the runs. */
  readonly stateDir: string;
  readonly runsDir: string;
}

export interface OpenOptions {
  /**
   * Absolute path of the folder that holds the runs, for a work tree that may go before them: all of them have to be
   * runs of this tree. The lock stays in the tree's git folder.
   *
   * @default `<git dir>/quasar/runs`
   */
  readonly home?: string | undefined;
  /** What `openRepository` has just said of the folder. @default asked of it: a git process more */
  readonly repository?: Repository | undefined;
}

/**
 * The work tree that a folder is in.
 *
 * @throws {GitError} When it is in none.
 * @throws {RunsError} `ERR_UNSAFE_PATH` when a link stands where our folders belong.
 */
export async function openWorkspace(
  cwd: string,
  { home, repository }: OpenOptions = {},
): Promise<Workspace> {
  const { root, gitDir, commonDir } = repository ?? (await openRepository(cwd));
  const stateDir = stateFolder(gitDir);
  const runsDir = home ?? join(stateDir, "runs");
  if (isRealFolder(stateDir)) isRealFolder(runsDir);
  return { root, gitDir, repositoryId: commonDir, stateDir, runsDir };
}

/** The same in git's words. */
export function repositoryOf({ root, gitDir, repositoryId }: Workspace): Repository {
  return { root, gitDir, commonDir: repositoryId };
}

/**
 * The branch that a work tree is on; `undefined` where HEAD is on none. It is read from git's file,
 * where it mostly stands in plain words, because git itself takes longer than a resume may.
 */
export async function branchOf({ root, gitDir }: Workspace): Promise<string | undefined> {
  const head = readWholeFile(join(gitDir, "HEAD"), { maxBytes: 4096 });
  const text = Buffer.from(head ?? []).toString();
  const [, branch] = /^ref: refs\/heads\/(?!\.invalid$)(.+)\n$/u.exec(text) ?? [];
  return branch ?? currentBranch(root);
}
