import {
  OWN_FOLDER,
  changedPaths,
  type Commit,
  commitAll,
  currentGitSha,
  GitError,
  logRange,
  lookAtWork,
  openRepository,
  reflogActions,
  type Repository,
  type SeenWork,
  type Snapshot,
  takeSnapshot,
  TRAILER,
} from "@quasar/git";
import { syncFiles } from "@quasar/durable";

/** What the loop commits of a cycle. */
export interface CycleCommit {
  readonly subject: string;
  /** Beside those that say whose it is. */
  readonly trailers: Readonly<Record<string, string>>;
  readonly taskId: string;
  readonly cycle: number;
  readonly turnId: string;
  readonly exclude: readonly string[];
  /** More variables for git and the user's git hooks. */
  readonly env: Readonly<Record<string, string>>;
  readonly signal: AbortSignal | undefined;
  /** What {@link LoopRepository.syncWork} has seen, if nobody has worked since. */
  readonly seen: SeenWork | undefined;
}

/** Work of the coder that lies in the tree, and survives a power cut there. */
export interface SyncedWork {
  readonly head: string;
  readonly seen: SeenWork | undefined;
}

export interface SnapshotRequest {
  readonly runId: string;
  readonly message: string;
  readonly signal: AbortSignal | undefined;
}

/** Uncommitted work, kept in a commit that is on no branch, `refs/quasar/<run id>/<n>`. */
export type KeptWork = Pick<Snapshot, "n" | "ref" | "sha">;

/** The loop's view of a git repository. */
export interface LoopRepository {
  /** `""` while there is no commit. */
  head(): Promise<string>;
  /**
   * Makes durable what differs from the commit `before`, committed meanwhile or not: git syncs its
   * own files, but an agent does not sync the work tree's.
   */
  syncWork(before: string): Promise<SyncedWork>;
  /** Resolves to `undefined` when there was nothing to commit. */
  commit(commit: CycleCommit): Promise<string | undefined>;
  /** Resolves to `undefined` when nothing is uncommitted. Changes neither work tree nor index. */
  snapshot(request: SnapshotRequest): Promise<KeptWork | undefined>;
  /** Oldest first; `undefined` when the repository does not know the commit `from`. */
  commitsSince(from: string): Promise<readonly Commit[] | undefined>;
  /** Paths in which two commits differ, from the root; `from` `""` is before the first commit. */
  changedPaths(from: string, to: string): Promise<readonly string[]>;
  /** What the reflog says brought HEAD to a commit, by its id. */
  reflogActions(): Promise<ReadonlyMap<string, string>>;
}

/**
 * Opens the repository that a folder is in.
 *
 * @param known - What `openRepository` has just said of it. @default asked of it
 * @returns `undefined` outside a repository.
 * @throws {GitError} for a repository that cannot be used.
 */
export async function openLoopRepository(
  workDir: string,
  known?: Repository,
): Promise<LoopRepository | undefined> {
  let root: string;
  try {
    ({ root } = known ?? (await openRepository(workDir)));
  } catch (error) {
    if (error instanceof GitError && error.code === "ERR_NOT_A_REPOSITORY") return undefined;
    throw error;
  }
  return {
    head: () => currentGitSha(workDir).catch(unless("ERR_NO_COMMITS", "")),
    async syncWork(before) {
      const seen = await lookAtWork(workDir);
      const { head, dirty } = seen;
      const committed = head === before ? [] : await changedPaths(workDir, before, head);
      syncFiles(root, [...committed, ...dirty.map(({ path }) => path)]);
      return { head, seen };
    },
    // The user's git hooks run in it, for minutes perhaps. A commit that was made although it was
    // cancelled is found again by its trailers.
    commit: ({ subject, trailers, taskId, cycle, turnId, exclude, env, signal, seen }) =>
      commitAll(workDir, {
        subject,
        trailers: {
          ...trailers,
          [TRAILER.task]: taskId,
          [TRAILER.cycle]: String(cycle),
          [TRAILER.turn]: turnId,
        },
        exclude: [OWN_FOLDER, ...exclude],
        env,
        signal,
        seen,
        reflogAction: reflogAction(turnId),
      }),
    snapshot: ({ runId, message, signal }) =>
      takeSnapshot(workDir, { prefix: `refs/quasar/${runId}/`, message, signal }),
    commitsSince: (from) =>
      logRange(workDir, { from: from === "" ? undefined : from }).catch(
        unless("ERR_BAD_REVISION", undefined),
      ),
    changedPaths: (from, to) => changedPaths(workDir, from, to),
    // A reflog that cannot be read bears witness of nothing.
    reflogActions: () => reflogActions(workDir).catch(unless("ERR_GIT_FAILED", new Map())),
  };
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
