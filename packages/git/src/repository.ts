import { lstat, readFile, realpath } from "node:fs/promises";
import { join, resolve } from "node:path";
import { GitError } from "./errors.ts";
import type { SignalOptions } from "./head.ts";
import { gitOutput } from "./run.ts";
import { quoted } from "./text.ts";

/** Where a repository is. All three are absolute paths without links. */
export interface Repository {
  /** The top folder of the work tree. */
  readonly root: string;
  /** The git folder of this work tree: HEAD, index and state of operations. */
  readonly gitDir: string;
  /** The git folder that all work trees of the repository share; else the same as `gitDir`. */
  readonly commonDir: string;
}

/** A repository that git has been asked about. */
export type OpenedRepository = Pick<Repository, "root" | "commonDir">;

/** The folder in which git is asked about a repository. */
export function rootOf(workTree: string | OpenedRepository): string {
  return typeof workTree === "string" ? workTree : workTree.root;
}

const PLACES = ["--show-toplevel", "--absolute-git-dir", "--git-common-dir"] as const;

/**
 * Finds the repository that a folder is in.
 *
 * @param workTree - Any folder of the work tree.
 * @throws {GitError} `ERR_NOT_A_REPOSITORY`, also for a bare one; `ERR_FOREIGN_WORK_TREE`;
 *   `ERR_GIT_MISSING`, `ERR_GIT_FAILED`; the signal's reason when aborted.
 */
export async function openRepository(
  workTree: string,
  options: SignalOptions = {},
): Promise<Repository> {
  const [root, gitDir, commonDir] = await Promise.all(
    (await places(workTree, options)).map((place) => realpath(resolve(workTree, place))),
  );
  if (root === undefined || gitDir === undefined || commonDir === undefined) {
    throw new GitError("ERR_GIT_FAILED", "git rev-parse did not name the repository's folders");
  }
  if ((await gitDirAt(root)) !== gitDir) throw foreignWorkTree(gitDir, root);
  return { root, gitDir, commonDir };
}

async function places(workTree: string, options: SignalOptions): Promise<readonly string[]> {
  const ask = (flags: readonly string[]): Promise<string> =>
    gitOutput("read", workTree, ["rev-parse", ...flags], options);
  const lines = (await ask(PLACES)).split("\n").slice(0, -1);
  if (lines.length === PLACES.length) return lines;
  // A line more: there is a newline in a path, so each has to be asked for by itself.
  return Promise.all(PLACES.map(async (flag) => (await ask([flag])).slice(0, -1)));
}

// A hostile repository could otherwise have the folders around it committed.
function foreignWorkTree(gitDir: string, root: string): GitError {
  const message = `the repository ${quoted(gitDir)} has its work tree in ${quoted(root)}`;
  return new GitError("ERR_FOREIGN_WORK_TREE", `${message}: unset core.worktree if you trust it`);
}

/** The git folder that a folder's `.git` is or, being a file, points to; starts no process. */
export async function gitDirAt(dir: string): Promise<string | undefined> {
  const entry = join(dir, ".git");
  const real = await unlessMissing(realpath(entry));
  if (real === undefined) return undefined;
  const stat = await lstat(real);
  if (stat.isDirectory()) return real;
  // A pipe that stands in its place is not waited for.
  if (!stat.isFile()) return undefined;
  const [, target] = /^gitdir: (.*?)[\r\n]*$/s.exec(await readFile(real, "utf8")) ?? [];
  return target === undefined ? undefined : unlessMissing(realpath(resolve(dir, target)));
}

/**
 * The git folders of a work tree, as its `.git` names them; starts no process, and makes sure of nothing that git does
 * before it uses them. `undefined` where the folder is not the top one of a work tree, or they cannot be read.
 *
 * @see gitrepository-layout(5)
 */
export async function gitFoldersAt(
  root: string,
): Promise<Pick<Repository, "gitDir" | "commonDir"> | undefined> {
  try {
    const gitDir = await gitDirAt(root);
    if (gitDir === undefined) return undefined;
    const file = join(gitDir, "commondir");
    const entry = await unlessMissing(lstat(file));
    if (entry?.isFile() === false) return undefined;
    const common = entry === undefined ? "." : (await readFile(file, "utf8")).trimEnd();
    return { gitDir, commonDir: await realpath(resolve(gitDir, common)) };
  } catch {
    return undefined; // what is wrong with them git says when it is asked
  }
}

/** What git is in the middle of in a work tree. */
export type Operation = "am" | "rebase" | "merge" | "cherry-pick" | "revert" | "bisect";

// A rebase that stopped also leaves the marks of the cherry-pick or merge that it was doing.
const MARKS: readonly (readonly [file: string, operation: Operation])[] = [
  ["rebase-merge", "rebase"],
  ["rebase-apply/applying", "am"],
  ["rebase-apply", "rebase"],
  ["MERGE_HEAD", "merge"],
  ["CHERRY_PICK_HEAD", "cherry-pick"],
  ["REVERT_HEAD", "revert"],
  ["BISECT_LOG", "bisect"],
];

/** What git is in the middle of, from the files it leaves; starts no process. */
export async function operationInProgress(
  repository: Pick<Repository, "gitDir">,
): Promise<Operation | undefined> {
  for (const [file, operation] of MARKS) {
    const found = await unlessMissing(lstat(join(repository.gitDir, file)));
    if (found !== undefined) return operation;
  }
  // Of several commits it continues when one is done, without a mark of its own.
  const todo = await unlessMissing(readFile(join(repository.gitDir, "sequencer", "todo"), "utf8"));
  if (todo === undefined) return undefined;
  return /^revert\b/.test(todo) ? "revert" : "cherry-pick";
}

/** Whether HEAD of this work tree was once at a commit, as far back as its reflog goes. */
export async function hasBeenAt(
  repository: Pick<Repository, "gitDir">,
  sha: string,
): Promise<boolean> {
  const reflog = await unlessMissing(readFile(join(repository.gitDir, "logs", "HEAD"), "latin1"));
  return reflog?.split("\n").some((line) => line.split(" ", 2).includes(sha)) === true;
}

/** Whether the history of a repository was cut off somewhere; starts no process. */
export async function isShallow(repository: Pick<Repository, "commonDir">): Promise<boolean> {
  return (await unlessMissing(lstat(join(repository.commonDir, "shallow")))) !== undefined;
}

async function unlessMissing<T>(looking: Promise<T>): Promise<T | undefined> {
  return looking.catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw error;
  });
}
