export { aCheckpoint } from "./testing/a-checkpoint.ts";
export { type ContractRunner, describeCheckpointStore } from "./testing/contract.ts";
