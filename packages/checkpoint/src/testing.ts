export {
  type CheckpointFiles,
  type CheckpointFilesOptions,
  createCheckpointFiles,
} from "./checkpoint-files.ts";
export { aCheckpoint } from "./testing/a-checkpoint.ts";
export { type ContractRunner, describeCheckpointStore } from "./testing/contract.ts";
