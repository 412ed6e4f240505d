export { HookFileError, type HookFileErrorCode } from "./errors.ts";
export { AGENT_TEXT, insertAgentText, removeAgentText } from "./agent-text.ts";
export {
  type AwaitedDecision,
  CHECKPOINT_TRIGGERS,
  type CheckpointTrigger,
  type FileSnapshot,
  HOOK_FILE_VERSION,
  HOOK_STATES,
  type HookEvent,
  type HookFile,
  type HookOwner,
  type HookState,
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
