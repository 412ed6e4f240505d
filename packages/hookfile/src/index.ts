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
