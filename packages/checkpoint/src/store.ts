import type { Checkpoint } from "./checkpoint.ts";

/** A checkpoint as it was found, with what a caller should know before trusting it. */
export interface LoadedCheckpoint {
  readonly checkpoint: Checkpoint;
  /** `previous`: the newest file was missing or damaged, this is the generation before it. */
  readonly source: "current" | "previous";
  /**
   * `valid`: whole, and written with our key. `digest`: whole, no key to judge its origin by.
   * `foreign`: whole, but not written with our key. `none`: a file without a seal (the Go original's).
   */
  readonly seal: "valid" | "digest" | "foreign" | "none";
  /** What went wrong on the way, in words for a person; empty when nothing did. */
  readonly problems: readonly string[];
}

/** One file that could not be used. It hides none of the others. */
export interface CheckpointProblem {
  /** Name of the file within the store's folder. */
  readonly file: string;
  readonly error: Error;
}

export interface LoadedCheckpoints {
  /** By phase id; `""` is the standalone run. */
  readonly checkpoints: ReadonlyMap<string, LoadedCheckpoint>;
  readonly problems: readonly CheckpointProblem[];
}

/** Where checkpoints are kept: one per phase, `""` being a standalone run. */
export interface CheckpointStore {
  /** Replaces the phase's checkpoint whole or not at all, even if the process dies midway. */
  save(checkpoint: Checkpoint): Promise<void>;
  /** Resolves to `undefined` when there is nothing to resume. */
  load(phaseId?: string): Promise<LoadedCheckpoint | undefined>;
  /** Every checkpoint of the folder, and every file that is none. */
  loadAll(): Promise<LoadedCheckpoints>;
  /** Resolves whether or not there was one to remove. */
  remove(phaseId?: string): Promise<void>;
}
