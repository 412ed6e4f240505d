export { deleteBranch, fetchBranch, refSha, type Upstream, upstreamOf } from "./branches.ts";
export { type Bundle, verifyBundle, writeBundle } from "./bundle.ts";
export { resolveCommit, treeOfCommit } from "./commit-ids.ts";
export {
  type CommitHooks,
  type CommitSettings,
  commitSettings,
  gitVersion,
  type Signing,
  unmergedPaths,
} from "./commit-settings.ts";
export {
  type ChangeCount,
  type CommitOptions,
  type Committed,
  commitAll,
  SUBJECT_LENGTH,
} from "./commit.ts";
export { type Identity, NEUTRAL } from "./config.ts";
export { changedAfter } from "./changed-after.ts";
export { asCheckedOut, type CheckedOutOptions, type NotCheckedOut } from "./checked-out.ts";
export { type Content, readContents } from "./content.ts";
export { usesConventionalCommits } from "./convention.ts";
export { type Diff, diffTrees } from "./diff.ts";
export { durableGitEnv, type Environment, foreignGitEnv } from "./environment.ts";
export { GitError, type GitErrorCode, type GitErrorOptions, isNoWorkTree } from "./errors.ts";
export { type CommittedFile, filesAt, readBlob } from "./files-at.ts";
export {
  currentBranch,
  currentGitSha,
  currentHead,
  isAncestor,
  type SignalOptions,
} from "./head.ts";
export {
  type Commit,
  type CommitMark,
  carriesMark,
  type ChangedFile,
  changedFiles,
  changedPaths,
  commitsOfTask,
  logRange,
  readCommit,
  type RangeOptions,
  reflogActions,
} from "./history.ts";
export { hiddenChanges } from "./hidden.ts";
export { emptyFolders } from "./empty-folders.ts";
export { changedByOutsideRules, type OutsideRulesOptions } from "./outside-rules.ts";
export { settingsText, type SteeringSettings, steeringSettings } from "./steering-settings.ts";
export {
  type IgnoredEntry,
  type IgnoredFile,
  ignoredFiles,
  type IgnoredFiles,
  type IgnoredFilesOptions,
} from "./ignored-files.ts";
export {
  type NewlyIgnored,
  newlyIgnored,
  type NewlyIgnoredOptions,
  type WorkBetween,
} from "./newly-ignored.ts";
export { type AsideOptions, commitsLeftAside, type Stash, stashedSince } from "./left-aside.ts";
export { hooksFolder, type HooksFolder } from "./hooks.ts";
export { type Landed, type LandedFile, landedSince } from "./landed.ts";
export {
  type InspectOptions,
  inspectRepository,
  type Look,
  type Relation,
  type RepositoryFacts,
} from "./inspect.ts";
export { clearGitLocks, type GitLock, gitLocks } from "./locks.ts";
export {
  type MergeOptions,
  type ProtectedChange,
  storeContents,
  treeOfChanges,
} from "./merge-protected.ts";
export { putBack, type PutBackOptions } from "./put-back.ts";
export { pushBranch, type PushOptions, remoteHead, type RemoteOptions, remoteUrl } from "./push.ts";
export type { CommitRefusal } from "./commit-refusal.ts";
export { createRef, deleteRefs, listRefs, type Ref, removeRefs } from "./refs.ts";
export {
  pushTarget,
  type PushTarget,
  type RemoteBranch,
  remoteBranches,
  type RemoteMove,
} from "./remotes.ts";
export {
  gitDirAt,
  isShallow,
  type Operation,
  openRepository,
  operationInProgress,
  type Repository,
} from "./repository.ts";
export {
  type RestoredSnapshot,
  restoreSnapshot,
  type RestoreSnapshotOptions,
} from "./restore.ts";
export {
  type PackedSnapshot,
  packSnapshot,
  type SnapshotPack,
  verifySnapshotPack,
} from "./snapshot-pack.ts";
export type { TreeChange, TreeEntry } from "./tree-changes.ts";
export {
  listSnapshots,
  type Snapshot,
  takeSnapshot,
  type TakenSnapshot,
  type TakeSnapshotOptions,
  isOwnPath,
  OWN_FOLDER,
  OWN_PATHS,
} from "./snapshots.ts";
export { checkSigning } from "./signing.ts";
export { dirtyPaths } from "./status.ts";
export type { DirtyPath } from "./dirty-path.ts";
export { parseTrailers, TRAILER, type Trailers } from "./trailers.ts";
export { type ChangeTimes, changeTimes, takenOut } from "./taken-out.ts";
export { treeToCommit } from "./tree-to-commit.ts";
export { submodulePaths } from "./submodules.ts";
export { countChanges, type FileChange } from "./count-changes.ts";
export { readCommitState, type LookOptions, type SeenWork } from "./work.ts";
export { workTreeId, type WorkTreeIdOptions } from "./work-tree-id.ts";
export { type GitWork, type GitWorkListener, onGitWork } from "./git-work.ts";
export { type SeenFiles, seenFiles, type SeenFilesOptions } from "./seen-files.ts";
export {
  createWorktree,
  listWorktrees,
  removeWorktree,
  type Worktree,
  type WorktreeOptions,
} from "./worktree.ts";
export { isInWorkTree } from "./within.ts";
export { type ChangedContent, lostWork } from "./lost-work.ts";
