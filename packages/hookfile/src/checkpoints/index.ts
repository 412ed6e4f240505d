export { CHECKPOINT_TRIGGERS, type CheckpointTrigger } from "../store/hook-file.ts";
export {
  type AutoCheckpointConfig,
  DEFAULT_AUTO_CHECKPOINTS,
  wantsCheckpoint,
} from "./auto-checkpoints.ts";
export type { GitFacts } from "./checkpoints.ts";
export { readGitFacts } from "./git-facts.ts";
export { startIntervalCheckpoints } from "../recovery/interval.ts";
export { saveCheckpoint } from "./save-checkpoint.ts";
