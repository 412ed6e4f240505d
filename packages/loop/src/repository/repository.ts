import {
  type Commit,
  commitAll,
  type Committed,
  currentHead,
  GitError,
  inspectRepository,
  logRange,
  openRepository,
  type Repository,
  type RepositoryFacts,
  TRAILER,
} from "@quasar/git";
import { type CommitGaps, openCommitGaps } from "@quasar/git/gaps";
import { changedPaths } from "@quasar/git/history";
import {
  clearGitLocks,
  OWN_PATHS,
  readCommitState,
  reflogActions,
  type SeenWork,
  usesConventionalCommits,
} from "@quasar/git/internal";
import { openProtectedFiles, type ProtectedFiles } from "@quasar/git/protected-files";
import { type Snapshot, takeSnapshot } from "@quasar/git/snapshots";
import { lstatSync } from "node:fs";
import { join } from "node:path";
import { syncFiles, syncNames } from "@quasar/durable";
import { entryAt } from "@quasar/process/files";
import {
  type ControlsOptions,
  type OpenControls,
  openControls,
  type Redact,
  requireControls,
} from "./controls.ts";
import type { LoopOptions } from "../options.ts";
import { treeMark } from "./tree-mark.ts";

/** What the loop commits of a cycle. */
export interface CycleCommit {
  readonly subject: string;
  readonly body: string;
  /** Beside those that say whose it is. */
  readonly trailers: Readonly<Record<string, string>>;
  readonly taskId: string;
  readonly cycle: number;
  readonly turnId: string;
  readonly exclude: readonly string[];
  /** Of what is to be committed instead of what lies in the work tree. */
  readonly tree?: string | undefined;
  /** More variables for git and the user's git hooks. */
  readonly env: Readonly<Record<string, string>>;
  readonly signal: AbortSignal | undefined;
  /** What was seen just before. */
  readonly seen: SeenWork;
}

export interface SnapshotRequest {
  readonly runId: string;
  readonly message: string;
  readonly signal: AbortSignal | undefined;
}

/** Uncommitted work, kept in a commit that is on no branch, `refs/quasar/<run id>/<n>`. */
export interface KeptWork extends Kept {
  /** What was staged, and different from the files. */
  readonly staged?: Kept | undefined;
}

type Kept = Pick<Snapshot, "n" | "ref" | "sha">;

/**
 * The loop's view of a git repository. Of a commit `from` that the repository no longer knows, `landed` says nothing
 * but the tree. What may start programs of the repository (a look at its files, a commit) is not done where
 * something has changed that decides which: it throws a {@link ControlsChanged}.
 */
export interface LoopRepository extends CommitGaps, ProtectedFiles {
  /**
   * Names the making of the work tree: one that is made again has another name; `""` where none can be given, `undefined`
   * where it cannot be read.
   */
  treeMark(): string | undefined;
  /** What controls git here, against how it was found. */
  readonly controls: Omit<OpenControls, "accept">;
  /** Where HEAD is: `head` is `""` while there is no commit. */
  currentHead(): Promise<Pick<SeenWork, "head" | "branch">>;
  /**
   * Looks at HEAD, branch and tree.
   *
   * @param last - What was seen before, if nobody but git has worked since: half of it is not asked again.
   */
  look(last?: SeenWork): Promise<SeenWork>;
  /** What has become of HEAD since a commit and of its branch, and what git is in the middle of, given what was seen. */
  facts(since: string, seen: SeenWork, branch?: string): Promise<RepositoryFacts>;
  /**
   * Makes durable what differs from the commit `before`, committed meanwhile or not: git syncs its
   * own files, but an agent does not sync the work tree's.
   *
   * @param isSynced - Whether somebody has done that for the file system of the work tree, after the last change.
   */
  syncWork(before: string, isSynced: boolean): Promise<SeenWork>;
  /** Whether commits have the form of Conventional Commits here. */
  usesConventionalCommits(): Promise<boolean>;
  /** Resolves to `undefined` when there was nothing to commit. */
  commit(commit: CycleCommit): Promise<Committed | undefined>;
  /** Resolves to `undefined` when nothing is uncommitted. Changes neither work tree nor index. */
  snapshot(request: SnapshotRequest): Promise<KeptWork | undefined>;
  /** Oldest first; `undefined` when the repository does not know the commit `from`. */
  commitsSince(from: string): Promise<readonly Commit[] | undefined>;
  /** Paths in which two commits differ, from the root; `from` `""` is before the first commit. */
  changedPaths(from: string, to: string): Promise<readonly string[]>;
  /** What the reflog says brought HEAD to a commit, by its id. */
  reflogActions(): Promise<ReadonlyMap<string, string>>;
}

interface Keeping extends Pick<LoopOptions, "ownsTree" | "holdsLock"> {
  readonly controls?: ControlsOptions | undefined;
  readonly redact?: Redact;
}

/**
 * Opens the repository that a folder is in.
 *
 * @param known - What `openRepository` has just said of it. @default asked of it
 * @param keeping - Where is kept what controls git, and what takes secrets out of it; whether the work tree is the run's
 *   alone, and its lock still this process's. @default in this process, nothing; it is not
 * @returns `undefined` outside a repository.
 * @throws {GitError} for a repository that cannot be used.
 */
export async function openLoopRepository(
  workTree: string,
  known?: Repository,
  keeping: Keeping = {},
): Promise<LoopRepository | undefined> {
  let repository: Repository;
  try {
    repository = known ?? (await openRepository(workTree));
  } catch (error) {
    if (error instanceof GitError && error.code === "ERR_NOT_A_REPOSITORY") return undefined;
    throw error;
  }
  const { root } = repository;
  const { ownsTree = false, holdsLock = () => true } = keeping;
  const gaps = openCommitGaps(repository);
  const files = openProtectedFiles(repository);
  const syncBranch = branchSync(repository);
  const controls = await openControls(repository, keeping.controls, keeping.redact);
  const commitsSince = (from: string): Promise<readonly Commit[] | undefined> =>
    logRange(workTree, { from: from === "" ? undefined : from }).catch(
      unless("ERR_BAD_REVISION", undefined),
    );
  return {
    ...gaps,
    ...files,
    treeMark: () => treeMark(repository),
    currentHead: () => currentHead(workTree),
    controls,
    async look(last) {
      await requireControls(controls);
      return readCommitState(workTree, { config: last?.config });
    },
    facts: (since, seen, branch) =>
      inspectRepository(workTree, { since, branch, seen, repository }),
    landed: async (from, to) => {
      try {
        return await gaps.landed(from, to);
      } catch (error) {
        if (from === to || (await commitsSince(from)) !== undefined) throw error;
        return gaps.landed(to, to);
      }
    },
    async syncWork(before, isSynced) {
      await requireControls(controls);
      const seen = await readCommitState(workTree);
      const { head, dirty } = seen;
      const isMoved = head !== before && head !== "";
      const committed = !isMoved ? [] : await changedPaths(workTree, before, head);
      const paths = [...committed, ...dirty.map(({ path }) => path)];
      syncFiles(root, isSynced ? paths.filter((path) => !isOnDevice(root, path)) : paths);
      if (isMoved) syncBranch(seen, syncFiles);
      return seen;
    },
    treeOfChanges: (exclude, changes) => files.treeOfChanges([...OWN_PATHS, ...exclude], changes),
    usesConventionalCommits: () => usesConventionalCommits({ root }),
    // The user's git hooks run in it, for minutes perhaps. A commit that was made although it was
    // cancelled is found again by its trailers.
    async commit({ trailers, taskId, cycle, turnId, exclude, ...commit }) {
      await requireControls(controls);
      // Of an agent or a check that was ended while its git wrote: nobody else works in a tree of the run's alone. In
      // what all trees share a git may be at work whose processes cannot be seen.
      if (ownsTree && holdsLock()) await clearGitLocks(repository, { shared: false });
      const made = await commitAll(workTree, {
        ...commit,
        trailers: {
          ...trailers,
          [TRAILER.task]: taskId,
          [TRAILER.cycle]: String(cycle),
          [TRAILER.turn]: turnId,
        },
        exclude: [...OWN_PATHS, ...exclude],
        reflogAction: reflogAction(turnId),
      });
      if (made !== undefined) syncBranch(commit.seen, syncNames);
      return made;
    },
    async snapshot({ runId, message, signal }) {
      const kept = await takeSnapshot(workTree, {
        prefix: `refs/quasar/${runId}/`,
        message,
        signal,
        repository,
      });
      if (kept !== undefined)
        syncNames(join(repository.commonDir, "refs"), [kept.ref.slice("refs/".length)]);
      return kept;
    },
    commitsSince,
    changedPaths: (from, to) => changedPaths(workTree, from, to),
    // A reflog that cannot be read is evidence of nothing.
    reflogActions: () => reflogActions(workTree).catch(unless("ERR_GIT_FAILED", new Map())),
  };
}

type SyncBranch = ({ branch }: SeenWork, sync: typeof syncFiles | typeof syncNames) => void;

/**
 * Git syncs the file of a ref, but not the folder in which it gives it its name: a power cut takes that back. The
 * folder of branches has its own name from the repository's beginning, so that is synced once.
 *
 * @returns Makes the name durable that moves with HEAD.
 */
function branchSync({ gitDir, commonDir }: Repository): SyncBranch {
  let isNamed = false;
  return ({ branch }, sync) => {
    if (branch === undefined) return sync(gitDir, ["HEAD"]);
    if (isNamed) return sync(join(commonDir, "refs/heads"), [branch]);
    sync(join(commonDir, "refs"), [`heads/${branch}`]);
    isNamed = true;
  };
}

/** Whether a path lies in the file system of the root; not where another one is mounted there. */
function isOnDevice(root: string, path: string): boolean {
  return entryAt(join(root, path))?.dev === lstatSync(root).dev;
}

/** How the reflog calls what is done in a turn, by its agent or by the loop. */
function reflogAction(turnId: string): string {
  return `quasar:${turnId.replace(/\.(\d+)$/u, "/$1")}`;
}

function unless<T>(code: GitError["code"], value: T): (error: unknown) => T {
  return (error) => {
    if (error instanceof GitError && error.code === code) return value;
    throw error;
  };
}
