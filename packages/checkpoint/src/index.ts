export {
  type Checkpoint,
  CHECKPOINT_VERSION,
  type CheckpointFinding,
  type CheckpointLedgerEntry,
  type CheckpointQuestion,
  type CheckpointTurn,
  type CommitStyle,
  type FindingStatus,
} from "./checkpoint.ts";
export { createCheckpoint } from "./create.ts";
export { decodeCheckpoint } from "./decode.ts";
export { encodeCheckpoint } from "./encode.ts";
export { CheckpointError, type CheckpointErrorCode } from "./errors.ts";
export { checkpointPath } from "./file-name.ts";
export { createFileCheckpointStore } from "./file-store.ts";
export { findingId } from "./finding-id.ts";
export { createMemoryCheckpointStore } from "./memory-store.ts";
export type { Phase } from "./phases.ts";
export type {
  CheckpointStore,
  FileCheckpointStore,
  FileCheckpointStoreOptions,
  LoadedCheckpoint,
  LoadedSummary,
} from "./store.ts";
export { cutText } from "./text.ts";
export { validateCheckpoint } from "./validate.ts";
