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
import { changedPaths } from "@quasar/git/history";
import {
  asCheckedOut,
  type AsideOptions,
  changedByOutsideRules,
  type ChangedContent,
  type ChangeTimes,
  changeTimes,
  commitsLeftAside,
  type Content,
  emptyFolders,
  hiddenChanges,
  type Landed,
  type LandedFile,
  landedSince,
  lostWork,
  type NewlyIgnored,
  newlyIgnored,
  type NotCheckedOut,
  OWN_PATHS,
  type ProtectedChange,
  putBack,
  readCommitState,
  readContents,
  reflogActions,
  type SeenWork,
  settingsText,
  type Stash,
  stashedSince,
  type SteeringSettings,
  steeringSettings,
  storeContents,
  submodulePaths,
  takenOut,
  treeOfChanges,
  usesConventionalCommits,
  type WorkBetween,
} from "@quasar/git/internal";
import { type Snapshot, takeSnapshot } from "@quasar/git/snapshots";
import { lstatSync } from "node:fs";
import { join } from "node:path";
import { syncFiles, syncNames } from "@quasar/durable";

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

/** The loop's view of a git repository. */
export interface LoopRepository {
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
   * The tree of a commit, and what was committed on the way to it as a link only: nothing where the
   * repository no longer knows the commit `from`.
   */
  landed(from: string, to: string): Promise<Landed>;
  /**
   * Makes durable what differs from the commit `before`, committed meanwhile or not: git syncs its
   * own files, but an agent does not sync the work tree's.
   *
   * @param isSynced - Whether somebody has done that for the file system of the work tree, after the last change.
   */
  syncWork(before: string, isSynced: boolean): Promise<SeenWork>;
  /** What changed files hold that git was told not to look at, and so does not commit. */
  hidden(): Promise<readonly Content[]>;
  /** What rules that no commit holds keep out of commits, where they have changed since a moment. */
  changedByOutsideRules(since: Date, seen: SeenWork): Promise<readonly string[]>;
  /** What paths hold, byte by byte. */
  contents(paths: readonly string[], seen: SeenWork): readonly Content[];
  /** Folders without a file that came after a moment. */
  emptyFolders(since: Date): Promise<readonly string[]>;
  /** Makes committed files what a checkout gives of them; see `asCheckedOut` of `@quasar/git`. */
  asCheckedOut(files: readonly LandedFile[], seen: SeenWork): Promise<NotCheckedOut>;
  /** Puts the bytes of files into the repository. */
  storeContents(contents: readonly Content[]): Promise<void>;
  /** Paths of stored contents of which not all is there any more that HEAD has not. */
  lostWork(head: string, changes: readonly ChangedContent[]): Promise<readonly string[]>;
  /** The tree of a commit of all but the excluded paths, with the changes of protected ones alone. */
  treeOfChanges(
    exclude: readonly string[],
    changes: readonly ProtectedChange[],
  ): ReturnType<typeof treeOfChanges>;
  /** Makes paths what they are in HEAD; those that hold something else than was seen stay, and are returned. */
  putBack(contents: readonly Content[], seen: SeenWork): Promise<readonly string[]>;
  /** Whether commits have the form of Conventional Commits here. */
  usesConventionalCommits(): Promise<boolean>;
  /** From the root; whether they are checked out or not. */
  submodulePaths(): ReadonlySet<string>;
  /** When files were changed last. */
  changeTimes(paths: readonly string[]): ChangeTimes;
  /** Of these files those that a git hook has made what they were before, in what led from one look to the other. */
  takenOut(before: ChangeTimes, seen: SeenWork, after: SeenWork): Promise<readonly string[]>;
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
  /** Commits that certain actions have made since a moment, and whose changes HEAD's past does not have. */
  commitsLeftAside(options: AsideOptions): Promise<readonly string[]>;
  /** What was stashed since a moment, newest first. */
  stashedSince(since: Date): Promise<readonly Stash[]>;
  /**
   * Work that ignore rules keep out of commits and that has come since a moment, beside the commits from one
   * to another; `from` `""` is before the first commit.
   */
  newlyIgnored(since: Date, work: WorkBetween): Promise<NewlyIgnored>;
  /** The text of the repository's own settings. */
  settingsText(): Promise<string>;
  /** Of such a text those that change what git does. */
  steeringSettings(text: string): Promise<SteeringSettings>;
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
  let repository: Repository;
  try {
    repository = known ?? (await openRepository(workDir));
  } catch (error) {
    if (error instanceof GitError && error.code === "ERR_NOT_A_REPOSITORY") return undefined;
    throw error;
  }
  const { root } = repository;
  const syncBranch = branchSync(repository);
  const commitsSince = (from: string): Promise<readonly Commit[] | undefined> =>
    logRange(workDir, { from: from === "" ? undefined : from }).catch(
      unless("ERR_BAD_REVISION", undefined),
    );
  return {
    currentHead: () => currentHead(workDir),
    look: (last) => readCommitState(workDir, { config: last?.config }),
    facts: (since, seen, branch) => inspectRepository(workDir, { since, branch, seen, repository }),
    landed: async (from, to) => {
      try {
        return await landedSince(workDir, from, to);
      } catch (error) {
        if (from === to || (await commitsSince(from)) !== undefined) throw error;
        return landedSince(workDir, to, to);
      }
    },
    async syncWork(before, isSynced) {
      const seen = await readCommitState(workDir);
      const { head, dirty } = seen;
      const isMoved = head !== before && head !== "";
      const committed = !isMoved ? [] : await changedPaths(workDir, before, head);
      const paths = [...committed, ...dirty.map(({ path }) => path)];
      syncFiles(root, isSynced ? paths.filter((path) => !isOnDevice(root, path)) : paths);
      if (isMoved) syncBranch(seen, syncFiles);
      return seen;
    },
    hidden: () => hiddenChanges(root),
    changedByOutsideRules: (since, { config }) =>
      changedByOutsideRules(repository, since, { config }),
    contents: (paths, seen) => readContents(root, paths, algorithmOf(seen)),
    emptyFolders: (since) => emptyFolders(root, since),
    asCheckedOut: (files, seen) =>
      asCheckedOut({ repository, algorithm: algorithmOf(seen), config: seen.config, files }),
    storeContents: (contents) => storeContents(repository, contents),
    lostWork: (head, changes) => lostWork(root, head, changes),
    treeOfChanges: (exclude, changes) =>
      treeOfChanges(repository, { exclude: [...OWN_PATHS, ...exclude], changes }),
    putBack: (contents, seen) =>
      putBack(workDir, { root, algorithm: algorithmOf(seen), seen: contents }),
    usesConventionalCommits: () => usesConventionalCommits({ root }),
    submodulePaths: () => submodulePaths(root),
    changeTimes: (paths) => changeTimes(root, paths),
    takenOut: (before, { head: from }, { head: to, dirty }) =>
      takenOut(root, before, { from, to, dirty }),
    // The user's git hooks run in it, for minutes perhaps. A commit that was made although it was
    // cancelled is found again by its trailers.
    async commit({ trailers, taskId, cycle, turnId, exclude, ...commit }) {
      const made = await commitAll(workDir, {
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
      const kept = await takeSnapshot(workDir, {
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
    changedPaths: (from, to) => changedPaths(workDir, from, to),
    // A reflog that cannot be read bears witness of nothing.
    reflogActions: () => reflogActions(workDir).catch(unless("ERR_GIT_FAILED", new Map())),
    commitsLeftAside: (options) => commitsLeftAside(repository, options),
    stashedSince: (since) => stashedSince(repository, since),
    newlyIgnored: (since, work) =>
      newlyIgnored(repository, since, { work: work.from === "" ? undefined : async () => work }),
    settingsText: () => settingsText(repository),
    steeringSettings: (text) => steeringSettings(repository, text),
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

function algorithmOf({ config }: SeenWork): "sha1" | "sha256" {
  return config.get("extensions.objectformat") === "sha256" ? "sha256" : "sha1";
}

/** Whether a path lies in the file system of the root; not where another one is mounted there. */
function isOnDevice(root: string, path: string): boolean {
  const found = lstatSync(join(root, path), { throwIfNoEntry: false });
  return found?.dev === lstatSync(root).dev;
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
