export type { Change, Entries } from "./entries.ts";
export { TASK_FILES } from "./files.ts";
export { decodeHookFile, encodeHookFile } from "./hook-codec.ts";
export { HookFileError, type HookFileErrorCode } from "./errors.ts";
export {
  type AwaitedDecision,
  CHECKPOINT_TRIGGERS,
  type CheckpointTrigger,
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
export type { Problem, ProblemCode } from "./problem.ts";
export { nextStep } from "./steps.ts";
export {
  createHookFileStore,
  type HookFileStore,
  type HookFileStoreOptions,
  type OpenedHookFile,
  type StoredEvent,
} from "./store.ts";
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
