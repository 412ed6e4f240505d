export {
  type CheckpointFiles,
  type CheckpointFilesOptions,
  createCheckpointFiles,
} from "./checkpoint-files.ts";
export { PHASES } from "./phases.ts";
export { aCheckpoint } from "./testing/a-checkpoint.ts";
export { type ContractRunner, describeCheckpointStore } from "./testing/contract.ts";
