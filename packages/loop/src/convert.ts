import { type Checkpoint, CHECKPOINT_VERSION } from "@quasar/checkpoint";
import { snapshot } from "./snapshot.ts";
import type { CycleState } from "./state.ts";

/** What a checkpoint says beside the loop's state. */
export interface CheckpointMetadata {
  /** @default "" */
  readonly phaseId?: string | undefined;
  /** @default "" */
  readonly nebulaName?: string | undefined;
  /** HEAD: 40 or 64 lowercase hex digits, `""` outside a repository. */
  readonly gitSha: string;
  /** @default the system's clock */
  readonly now?: (() => Date) | undefined;
}

/** The stored form of a loop's state at this moment. */
export function checkpointFromState(state: CycleState, metadata: CheckpointMetadata): Checkpoint {
  const { phaseId = "", nebulaName = "", gitSha, now = () => new Date() } = metadata;
  return snapshot({
    ...state,
    version: CHECKPOINT_VERSION,
    phaseId,
    nebulaName,
    createdAt: now().toISOString(),
    gitSha,
  });
}

/** The loop's state as it was when the checkpoint was made. */
export function stateFromCheckpoint(checkpoint: Checkpoint): CycleState {
  const {
    version: _v,
    phaseId: _p,
    nebulaName: _n,
    createdAt: _c,
    gitSha: _g,
    ...state
  } = checkpoint;
  return snapshot(state);
}
