/** A coder-reviewer loop that continues after any crash. */
export { createCheckpointHook } from "./checkpoint-hook.ts";
export { checkpointFromState, stateFromCheckpoint } from "./convert.ts";
export { LoopError, type LoopErrorCode } from "./errors.ts";
export {
  EventResumed,
  type FailureReason,
  type Hook,
  type LoopEvent,
  type LoopEventData,
  type TurnRecovery,
} from "./event.ts";
export { runFromCheckpoint, runTask } from "./loop.ts";
export type {
  Check,
  CheckpointOptions,
  CommitWording,
  CommitWords,
  LoopOptions,
  RunRepository,
  Task,
  TaskResult,
} from "./options.ts";
export type { WayBack } from "./resume/way-back.ts";
export type { Finding } from "./review/finding.ts";
export type { ReviewReport } from "./review/review.ts";
export type { CycleState } from "./state.ts";
