export {
  type AutoCheckpointConfig,
  DEFAULT_AUTO_CHECKPOINTS,
  wantsCheckpoint,
} from "./auto-checkpoints.ts";
export {
  createCheckpoint,
  type GitFacts,
  type NewCheckpoint,
  newCheckpointId,
} from "./checkpoints.ts";
export {
  cleanupHookFiles,
  type CleanupOptions,
  type CleanupReport,
  DEFAULT_RETENTION,
  type RemovedHookFile,
  type RetentionPolicy,
  type SkippedHookFile,
} from "./cleanup.ts";
export type { CrashExit, CrashFacts } from "./crash.ts";
export { parseRetention } from "./duration.ts";
export type { Change, Entries } from "./entries.ts";
export { TASK_FILES, taskFolder } from "./files.ts";
export { decodeHookFile, encodeHookFile } from "./hook-codec.ts";
export { HookFileError, type HookFileErrorCode } from "./errors.ts";
export { AGENT_TEXT, insertAgentText, removeAgentText } from "./agent-text.ts";
export { readGitFacts } from "./git-facts.ts";
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
  type StepRecord,
  type StepRecovery,
  type StepType,
  TERMINAL_STATES,
} from "./hook-file.ts";
export { FINISHED, type HookMdFacts, renderHookMd } from "./hook-md.ts";
export { HOOK_MD_COMMANDS } from "./hook-md-commands.ts";
export { hookDigest, type HookMdMark, readHookMdMark } from "./hook-md-mark.ts";
export type { Verdicts } from "./hook-md-receipts.ts";
export { type HookMdRelation, relationOfHookMd } from "./hook-md-relation.ts";
export { generateSynopsis } from "./synopsis.ts";
export {
  type InstalledGitHook,
  installGitHook,
  type InstallGitHookOptions,
  type TaskOptions,
  type UninstalledGitHook,
  uninstallGitHook,
} from "./git-hook.ts";
export type { Obstacle } from "./git-hook-file.ts";
export {
  commitDescription,
  noteCommit,
  type NotedCommit,
  type RouteOptions,
  taskOfWorkTree,
} from "./git-hook-route.ts";
export { GIT_HOOK_LINE } from "./git-hook-script.ts";
export {
  clearInbox,
  dropInInbox,
  type Inbox,
  type InboxNote,
  type InboxOptions,
  type InboxProblem,
  type NewNote,
  readInbox,
} from "./inbox.ts";
export {
  type KnownCommits,
  lookForCommits,
  noticeCommits,
  type NoticedCommit,
  type NoticedCommits,
} from "./commits.ts";
export {
  type KnownPushes,
  lookForPushes,
  type NoticedPush,
  type NoticedPushes,
  noticePushes,
  type ToldPush,
  type UnseenPush,
} from "./pushes.ts";
export { type IntervalCheckpointsOptions, startIntervalCheckpoints } from "./interval.ts";
export { STALE_AFTER } from "./judge.ts";
export type { Problem, ProblemCode } from "./problem.ts";
export { type DetectOptions, type Detection, detectAndRecover, recoveryInput } from "./recovery.ts";
export {
  decideRecovery,
  RECOVERY_EVENTS,
  type RecoveryDecision,
  type StepEffect,
} from "./recovery-decision.ts";
export { removeHookFile, type RemoveHookFileOptions } from "./remove.ts";
export type { Repetition, Wait } from "./repeat.ts";
export { saveCheckpoint, type SaveCheckpointOptions } from "./save-checkpoint.ts";
export { type ScannedTask, scanTasks } from "./scan.ts";
export { snapshotFiles, type SnapshotOptions } from "./snapshot-files.ts";
export { isSetUp, nextStep } from "./steps.ts";
export {
  createHookFileStore,
  type CommandHookFileStore,
  type HookFileStore,
  type HookFileStoreOptions,
  type OpenedHookFile,
  type StoredEvent,
} from "./store.ts";
export { listTaskFolders, type TaskFolder, taskFoldersOf } from "./task-folders.ts";
export {
  claimTask,
  type ClaimTaskOptions,
  HEARTBEAT_INTERVAL,
  lastHeartbeat,
  lockTask,
  type TaskClaim,
} from "./task-owner.ts";
export {
  acknowledgeQuarantine,
  type QuarantinedFile,
  quarantinedFiles,
} from "./quarantine.ts";
export { type ArchivedTask, isBuried, readArchive, type ReceiptsHead } from "./tombstone.ts";
export type { HookInput, HookTrigger, TransitionEvents } from "./transition-events.ts";
export {
  isTerminal,
  transition,
  type Transition,
  transitionAll,
  type TransitionOptions,
  type TransitionRow,
  TRANSITIONS,
} from "./transitions.ts";
