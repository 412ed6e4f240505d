import type { CheckpointTrigger } from "../store/hook-file.ts";

/** Which step checkpoints are made without anybody asking. */
export interface AutoCheckpointConfig {
  readonly onCommit: boolean;
  readonly onPush: boolean;
  readonly onPr: boolean;
  readonly onValidation: boolean;
  readonly onStepComplete: boolean;
  /** Milliseconds between checkpoints while a step runs; 0 turns them off. */
  readonly interval: number;
}

/** The seed's: all of them, and one every 5 minutes. */
export const DEFAULT_AUTO_CHECKPOINTS: AutoCheckpointConfig = {
  onCommit: true,
  onPush: true,
  onPr: true,
  onValidation: true,
  onStepComplete: true,
  interval: 300_000,
};

const WANTED: Readonly<Record<CheckpointTrigger, (config: AutoCheckpointConfig) => boolean>> = {
  manual: () => true,
  git_commit: (config) => config.onCommit,
  git_push: (config) => config.onPush,
  pr_created: (config) => config.onPr,
  validation: (config) => config.onValidation,
  step_complete: (config) => config.onStepComplete,
  interval: (config) => config.interval > 0,
};

/** Whether a trigger makes a checkpoint. One that a person asks for always does. */
export function wantsCheckpoint(config: AutoCheckpointConfig, trigger: CheckpointTrigger): boolean {
  return WANTED[trigger](config);
}
