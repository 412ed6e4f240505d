import { disarmFilters, readConfig } from "./config.ts";
import { GitError } from "./errors.ts";
import type { SignalOptions } from "./head.ts";
import { type Commit, reflogActions, type Sides, sidesOf } from "./history.ts";
import {
  hasBeenAt,
  isShallow,
  type Operation,
  openRepository,
  operationInProgress,
  type Repository,
} from "./repository.ts";
import { hasRef } from "./refs.ts";
import { checkSha } from "./revision.ts";
import { git, gitFailed } from "./run.ts";
import { changedFiles, STATUS, statusHead } from "./status.ts";
import type { DirtyPath } from "./dirty-path.ts";

/** How HEAD stands to a commit that it once was at. */
export type Relation =
  | "same"
  /** The commit is in HEAD's past. */
  | "ahead"
  /** HEAD is in the commit's past. */
  | "behind"
  /** Each has commits that the other has not. */
  | "diverged"
  /** The repository does not have the commit, and its reflog does not name it. */
  | "unknown-commit"
  /** HEAD has been at the commit, and the repository has lost it; or it has lost that of HEAD. */
  | "commit-lost"
  /** The history is shallow and ends before an answer. */
  | "undecidable"
  /** HEAD is on a branch without a commit, and there was one. */
  | "unborn"
  /** There is no work tree. */
  | "bare";

/** What is to be known of a work tree before a run continues in it. */
export interface RepositoryFacts {
  /** `""` while there is no commit, and where it cannot be read. */
  readonly head: string;
  /** Without `refs/heads/`; `undefined` where HEAD is on none, or cannot be read. */
  readonly branch: string | undefined;
  readonly isUnborn: boolean;
  readonly isDetached: boolean;
  readonly isBare: boolean;
  readonly isShallow: boolean;
  readonly operation: Operation | undefined;
  readonly dirty: readonly DirtyPath[];
  readonly relation: Relation;
  /** What is in HEAD's past and not in that of the commit, oldest first. */
  readonly commits: readonly Commit[];
  /** What brought HEAD to a commit, by its id; empty where there are no `commits`. */
  readonly actions: ReadonlyMap<string, string>;
  /** HEAD is not on the branch that was asked about, and there is no such branch any more. */
  readonly isBranchGone?: boolean | undefined;
}

/** Where HEAD is, and what is not committed. */
export type Look = Pick<RepositoryFacts, "head" | "branch" | "dirty">;

export interface InspectOptions extends SignalOptions {
  /** A full commit id; `""`: there was no commit. */
  readonly since: string;
  /** The branch on which HEAD was, without `refs/heads/`: `""` is none. @default not searched for */
  readonly branch?: string | undefined;
  /** What `openRepository` has just said of the folder. @default asked of it: a process more */
  readonly repository?: Repository | undefined;
  /** What has just been seen of HEAD and tree. @default looked at now: a process more, two where the settings have changed */
  readonly seen?: Look | undefined;
}

/**
 * Looks at a work tree and at what has become of it since a commit. Changes nothing; nothing that the
 * repository names runs. Starts one git process, one more where the settings have changed, one where the `repository` is not given, one
 * where HEAD has moved, one where there are commits since, and one where HEAD is not on the `branch`.
 *
 * @throws {GitError} `ERR_BAD_REVISION` unless `since` is a full commit id or `""`;
 *   `ERR_FOREIGN_WORK_TREE`, `ERR_NOT_A_REPOSITORY`, `ERR_GIT_MISSING`, `ERR_GIT_FAILED`; the signal's
 *   reason when aborted.
 * @see SPEC.md, "Facts"
 */
export async function inspectRepository(
  workTree: string,
  { since, branch: past = "", repository: known, seen: look, signal }: InspectOptions,
): Promise<RepositoryFacts> {
  if (since !== "") checkSha(since);
  const [opened, seen] = await Promise.allSettled([
    known ?? openRepository(workTree, { signal }),
    look === undefined ? lookAt(workTree, signal) : { ...look, isUnborn: look.head === "" },
  ]);
  signal?.throwIfAborted();
  if ([opened, seen].some(isBare)) return BARE;
  if (opened.status === "rejected") throw opened.reason;
  if (seen.status === "rejected") throw seen.reason;
  const repository = opened.value;
  const { head, branch, isUnborn, dirty } = seen.value;
  const hasMoved = head !== "" && head !== since;
  const sides = hasMoved ? await sidesOf(workTree, since, head, { signal }) : undefined;
  const [shallow, operation, wasThere] = await Promise.all([
    isShallow(repository),
    operationInProgress(repository),
    hasMoved && sides === undefined ? hasBeenAt(repository, since) : false,
  ]);
  const commits = sides?.right ?? [];
  const isLost = head === "" && !isUnborn;
  return {
    head,
    branch,
    isUnborn,
    isDetached: !isLost && branch === undefined,
    isBare: false,
    isShallow: shallow,
    operation,
    dirty,
    relation: relationOf(since, seen.value, sides, { shallow, wasThere }),
    commits,
    actions: commits.length === 0 ? new Map() : await actionsOf(repository, signal),
    isBranchGone:
      past !== "" && past !== branch && !(await hasRef(workTree, `refs/heads/${past}`, { signal })),
  };
}

/** A work tree as `git status` sees it. */
type Status = Look & Pick<RepositoryFacts, "isUnborn">;

async function lookAt(workTree: string, signal: AbortSignal | undefined): Promise<Status> {
  const config = await readConfig(workTree, { signal });
  const args = [...STATUS, "--branch"];
  const result = await git("read", workTree, args, { signal, config: disarmFilters(config) });
  if (result.exitCode === 128 && HEAD_LOST.test(result.stderr)) {
    return { head: "", branch: undefined, isUnborn: false, dirty: [] };
  }
  if (result.exitCode !== 0) throw gitFailed(args, result);
  const { head, branch } = await statusHead(workTree, result.stdout, { signal });
  const dirty = await changedFiles(workTree, result.stdout, config, { signal });
  return { head, branch, isUnborn: head === "", dirty };
}

const HEAD_LOST = /^(?:fatal|error): bad object HEAD|^fatal: (?:object file|loose object) /m;

function relationOf(
  since: string,
  { head, isUnborn }: Status,
  sides: Sides | undefined,
  { shallow, wasThere }: { readonly shallow: boolean; readonly wasThere: boolean },
): Relation {
  if (isUnborn) return since === "" ? "same" : "unborn";
  if (head === "") return "commit-lost";
  if (head === since) return "same";
  if (sides === undefined) return wasThere ? "commit-lost" : "unknown-commit";
  const { left, right } = sides;
  if (left.length === 0) return "ahead";
  if (right.length === 0) return "behind";
  return shallow ? "undecidable" : "diverged";
}

/** A reflog that cannot be read is evidence of nothing. */
async function actionsOf(
  { root }: Repository,
  signal: AbortSignal | undefined,
): Promise<ReadonlyMap<string, string>> {
  try {
    return await reflogActions(root, { signal });
  } catch (error) {
    if (error instanceof GitError && error.code === "ERR_GIT_FAILED") return new Map();
    throw error;
  }
}

function isBare(looked: PromiseSettledResult<unknown>): boolean {
  if (looked.status === "fulfilled") return false;
  return looked.reason instanceof GitError && looked.reason.code === "ERR_BARE_REPOSITORY";
}

const BARE: RepositoryFacts = {
  head: "",
  branch: undefined,
  isUnborn: false,
  isDetached: false,
  isBare: true,
  isShallow: false,
  operation: undefined,
  dirty: [],
  relation: "bare",
  commits: [],
  actions: new Map(),
};
