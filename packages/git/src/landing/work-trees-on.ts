import { readdirSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { SignalOptions } from "../head.ts";
import type { Repository } from "../repository.ts";
import { headIn, plainRef } from "../loose.ts";
import { entryAt, plainFile } from "../plain-file.ts";
import { checkBranch } from "../revision.ts";
import { listWorktrees } from "../worktree.ts";

/** A work tree whose files, or an operation in it, depend on where a branch is. */
export interface WorkTreeOn {
  readonly path: string;
  readonly use: "checked-out" | "rebase" | "bisect";
}

/**
 * The work trees that are on a branch, or will be when the rebase or bisection in them ends. Who moves the branch
 * makes their files look edited, or has the operation undo the move. Starts one git process, and none where git's files
 * say plainly that there are none.
 *
 * @param branch - Without `refs/heads/`.
 * @throws {GitError} `ERR_INVALID_ARGUMENT`, `ERR_GIT_MISSING`, `ERR_GIT_FAILED`; the signal's reason when aborted.
 */
export async function workTreesOn(
  repository: Repository,
  branch: string,
  options: SignalOptions = {},
): Promise<readonly WorkTreeOn[]> {
  checkBranch(branch);
  options.signal?.throwIfAborted();
  if (isOnNone(repository, branch)) return [];
  const trees = await listWorktrees(repository.root, options);
  const checkedOut = trees.flatMap(({ path, branch: own }) =>
    own === branch ? [{ path, use: "checked-out" as const }] : [],
  );
  const operating = gitFolders(repository, trees[0]?.path).flatMap(({ gitDir, path }) =>
    operationsOn(gitDir, branch).map((use) => ({ path, use })),
  );
  return [...checkedOut, ...operating];
}

/** Whether git's files say plainly that no work tree is on a branch; `false` where they are not plain to read, too. */
function isOnNone(repository: Repository, branch: string): boolean {
  return gitFolders(repository).every(({ gitDir }) => {
    const head = headIn(gitDir);
    if (head === undefined) return false;
    const isElsewhere = head.ref === undefined || isPlainOther(repository, head.ref, branch);
    return isElsewhere && operationsOn(gitDir, branch).length === 0;
  });
}

/** Another branch may stand for this one: its file names it then. Where refs are kept in another way HEAD names none. */
function isPlainOther(repository: Repository, other: string, branch: string): boolean {
  if (other === `refs/heads/${branch}` || other === "refs/heads/.invalid") return false;
  return plainRef(repository, other) !== undefined || isPacked(repository, other);
}

/** One that is packed stands for no other. */
function isPacked({ commonDir }: Repository, ref: string): boolean {
  return entryAt(join(commonDir, ref)) === undefined;
}

function operationsOn(gitDir: string, branch: string): readonly WorkTreeOn["use"][] {
  return MARKS.filter(({ file, isFull }) =>
    textOf(join(gitDir, file))
      .split("\n")
      .includes(isFull ? `refs/heads/${branch}` : branch),
  ).map(({ use }) => use);
}

interface Mark {
  readonly file: string;
  readonly use: WorkTreeOn["use"];
  /** Whether branches stand in it with `refs/heads/`. */
  readonly isFull: boolean;
}

const MARKS: readonly Mark[] = [
  { file: "rebase-merge/head-name", use: "rebase", isFull: true },
  { file: "rebase-merge/update-refs", use: "rebase", isFull: true },
  { file: "rebase-apply/head-name", use: "rebase", isFull: true },
  { file: "BISECT_START", use: "bisect", isFull: false },
];

interface GitFolder {
  readonly gitDir: string;
  /** Of its work tree. */
  readonly path: string;
}

function gitFolders({ commonDir }: Repository, main = commonDir): readonly GitFolder[] {
  const linked = join(commonDir, "worktrees");
  const names = entryAt(linked)?.isDirectory() === true ? readdirSync(linked) : [];
  const others = names.map((name) => {
    const gitDir = join(linked, name);
    const link = textOf(join(gitDir, "gitdir")).replace(/\n$/u, "");
    return { gitDir, path: dirname(resolve(gitDir, link)) };
  });
  return [{ gitDir: commonDir, path: main }, ...others];
}

/** Of a file of git's, in bytes. */
const LONGEST = 1024 * 1024;

function textOf(file: string): string {
  return plainFile(file, LONGEST)?.toString() ?? "";
}
