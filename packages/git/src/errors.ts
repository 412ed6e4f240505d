import type { CommitRefusal } from "./commit-refusal.ts";

/** Why a git operation failed. Part of the API: adding a code is minor, renaming one is major. */
export type GitErrorCode =
  /** The folder is missing, or there is no `.git` at or above it, or it is inside of one. */
  | "ERR_NOT_A_REPOSITORY"
  /** The repository is bare: it has no work tree. */
  | "ERR_BARE_REPOSITORY"
  /** There is a `.git` that git does not take for a repository: it is damaged, or could not be read. */
  | "ERR_UNREADABLE_REPOSITORY"
  /** Git does not work in a repository that belongs to another user of the machine. */
  | "ERR_FOREIGN_OWNER"
  /** The repository's configuration puts its work tree somewhere else than around its `.git`. */
  | "ERR_FOREIGN_WORK_TREE"
  /** HEAD is on a branch without a commit. */
  | "ERR_NO_COMMITS"
  /** HEAD names something that cannot be read as a commit: a lost object, an emptied ref. */
  | "ERR_BROKEN_HEAD"
  /** A revision is not of an accepted form, or the repository does not have it. */
  | "ERR_BAD_REVISION"
  /** A value that git would misread: a trailer's name, a branch, an excluded path. */
  | "ERR_INVALID_ARGUMENT"
  /** Files have unresolved conflicts, so nothing was staged. */
  | "ERR_UNMERGED"
  /** Staging or committing failed, for example in a git hook: see `refusal`. */
  | "ERR_COMMIT_FAILED"
  /** Commits are to be signed, and no signature can be made. */
  | "ERR_SIGNING_FAILED"
  /** A snapshot could not be taken: a file could not be read, or changed while it was. */
  | "ERR_SNAPSHOT_FAILED"
  /** The work tree cannot be made what a snapshot holds, exactly; nothing was changed. */
  | "ERR_NOT_RESTORABLE"
  /** The pack of a snapshot, or a bundle, is missing or damaged, or does not hold what it should. */
  | "ERR_DAMAGED_PACK"
  /** The remote's branch has commits that the pushed one has not. */
  | "ERR_NOT_FAST_FORWARD"
  /** A hook or a rule refused the push, at the remote or here. */
  | "ERR_PUSH_REFUSED"
  /** The remote wants credentials that are not there without asking somebody. */
  | "ERR_REMOTE_AUTH"
  /** The remote cannot be reached, or is no repository. */
  | "ERR_REMOTE_UNREACHABLE"
  /** An object is missing: a partial clone has not fetched it, or it was lost. */
  | "ERR_MISSING_OBJECT"
  /** No ref can have the name: a ref is called like one of its folders, or it like a folder of refs. */
  | "ERR_NAME_TAKEN"
  /** There is no `git` program on the PATH. */
  | "ERR_GIT_MISSING"
  /** The `git` on the PATH cannot do what is asked for. */
  | "ERR_GIT_TOO_OLD"
  /** Any other failure; the message has the command, its exit code and the end of its stderr. */
  | "ERR_GIT_FAILED";

/** Thrown by every function of this package. Branch on `code`, not on `message`. */
export class GitError extends Error {
  override readonly name = "GitError";
  readonly code: GitErrorCode;
  /** The repository, or the file, that has to be checked, where the code is about one. */
  readonly path: string | undefined;
  /** Of `ERR_COMMIT_FAILED`. */
  readonly refusal: CommitRefusal | undefined;

  constructor(code: GitErrorCode, message: string, options: GitErrorOptions = {}) {
    super(message, options);
    this.code = code;
    this.path = options.path;
    this.refusal = options.refusal;
  }

  /** Whether there is nothing to work on in a folder: it is in no repository, or in a bare one. */
  get isNoWorkTree(): boolean {
    return this.code === "ERR_NOT_A_REPOSITORY" || this.code === "ERR_BARE_REPOSITORY";
  }
}

export interface GitErrorOptions extends ErrorOptions {
  readonly path?: string | undefined;
  readonly refusal?: CommitRefusal | undefined;
}

/** Also where a folder on the way to it has become a file, and where no path can be such. */
export function isGone(error: unknown): boolean {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return code === "ENOENT" || code === "ENOTDIR" || code === "ERR_INVALID_ARG_VALUE";
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
