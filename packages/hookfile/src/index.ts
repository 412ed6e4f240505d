export {
  type AutoCheckpointConfig,
  DEFAULT_AUTO_CHECKPOINTS,
  wantsCheckpoint,
} from "./checkpoints/auto-checkpoints.ts";
export {
  createCheckpoint,
  type GitFacts,
  type NewCheckpoint,
  newCheckpointId,
} from "./checkpoints/checkpoints.ts";
export {
  cleanupHookFiles,
  type CleanupOptions,
  type CleanupReport,
  DEFAULT_RETENTION,
  type RemovedHookFile,
  type RetentionPolicy,
  type SkippedHookFile,
} from "./removal/cleanup.ts";
export type { CrashExit, CrashFacts } from "./recovery/crash.ts";
export { parseRetention } from "./recovery/duration.ts";
export type { Change, Entries } from "./store/entries.ts";
export { TASK_FILES, taskFolder } from "./store/files.ts";
export { decodeHookFile, encodeHookFile } from "./store/hook-codec.ts";
export { HookFileError, type HookFileErrorCode } from "./errors.ts";
export { AGENT_TEXT, insertAgentText, removeAgentText } from "./hook-md/agent-text.ts";
export { gitFactsOf, readGitFacts } from "./checkpoints/git-facts.ts";
export {
  type AwaitedDecision,
  CHECKPOINT_TRIGGERS,
  type CheckpointTrigger,
  type FileChange,
  type FileSnapshot,
  HOOK_FILE_VERSION,
  HOOK_STATES,
  type HookEvent,
  type HistoryHead,
  type HookFile,
  type HookOwner,
  type HookState,
  NEWEST_KEPT,
  type NewStep,
  type NewTask,
  type RecoveryAction,
  type RecoveryContext,
  type StepCheckpoint,
  type StepContext,
  type StepBase,
  type StepRecord,
  type StepRecovery,
  type StepType,
  TERMINAL_STATES,
} from "./store/hook-file.ts";
export { FINISHED, type HookMdFacts, renderHookMd } from "./hook-md/hook-md.ts";
export { HOOK_MD_COMMANDS } from "./hook-md/commands.ts";
export { hookDigest, type HookMdMark, readHookMdMark } from "./hook-md/mark.ts";
export type { Verdicts } from "./hook-md/receipts.ts";
export { type HookMdRelation, relationOfHookMd } from "./hook-md/relation.ts";
export { generateSynopsis } from "./hook-md/synopsis.ts";
export {
  type InstalledGitHook,
  installGitHook,
  type InstallGitHookOptions,
  type TaskOptions,
  type UninstalledGitHook,
  uninstallGitHook,
} from "./git-hook/git-hook.ts";
export type { Obstacle } from "./git-hook/file.ts";
export {
  commitDescription,
  noteCommit,
  type NotedCommit,
  type RouteOptions,
  taskOfWorkTree,
} from "./git-hook/route.ts";
export { GIT_HOOK_LINE } from "./git-hook/script.ts";
export {
  clearInbox,
  dropInInbox,
  type Inbox,
  type InboxNote,
  type InboxOptions,
  type InboxProblem,
  type NewNote,
  readInbox,
} from "./store/inbox.ts";
export {
  type KnownCommits,
  lookForCommits,
  noticeCommits,
  type NoticedCommit,
  type NoticedCommits,
} from "./git-hook/commits.ts";
export {
  type KnownPushes,
  lookForPushes,
  type NoticedPush,
  type NoticedPushes,
  noticePushes,
  type ToldPush,
  type UnseenPush,
} from "./git-hook/pushes.ts";
export { type IntervalCheckpointsOptions, startIntervalCheckpoints } from "./recovery/interval.ts";
export { STALE_AFTER } from "./recovery/judge.ts";
export type { Problem, ProblemCode } from "./problem.ts";
export {
  type DetectOptions,
  type Detection,
  detectAndRecover,
  recoveryInput,
} from "./recovery/recovery.ts";
export {
  decideRecovery,
  RECOVERY_EVENTS,
  type RecoveryDecision,
  type StepEffect,
} from "./recovery/recovery-decision.ts";
export { removeHookFile, type RemoveHookFileOptions } from "./removal/remove.ts";
export type { Repetition, Wait } from "./store/repeat.ts";
export { saveCheckpoint, type SaveCheckpointOptions } from "./checkpoints/save-checkpoint.ts";
export { type ScannedTask, scanTasks } from "./store/scan.ts";
export { snapshotFiles, type SnapshotOptions } from "./store/snapshot-files.ts";
export { isSetUp, nextStep } from "./transitions/steps.ts";
export {
  createHookFileStore,
  type CommandHookFileStore,
  type HookFileStore,
  type StoredEvent,
} from "./store/store.ts";
export type { HookFileStoreOptions, OpenedHookFile } from "./store/store-options.ts";
export { listTaskFolders, type TaskFolder, taskFoldersOf } from "./removal/task-folders.ts";
export {
  claimTask,
  type ClaimTaskOptions,
  HEARTBEAT_INTERVAL,
  lastHeartbeat,
  lockTask,
  type TaskClaim,
} from "./recovery/task-owner.ts";
export {
  acknowledgeQuarantine,
  type QuarantinedFile,
  quarantinedFiles,
} from "./store/quarantine.ts";
export {
  type ArchivedTask,
  isBuried,
  readArchive,
  type ReceiptsHead,
} from "./removal/tombstone.ts";
export type { HookInput, HookTrigger, TransitionEvents } from "./transitions/transition-events.ts";
export {
  isTerminal,
  transition,
  type Transition,
  transitionAll,
  type TransitionOptions,
  type TransitionRow,
  TRANSITIONS,
} from "./transitions/transitions.ts";
