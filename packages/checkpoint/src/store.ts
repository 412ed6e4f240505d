import type { FileSystem, Random } from "@quasar/durable";
import type { Checkpoint } from "./checkpoint.ts";
import type { CheckpointError } from "./errors.ts";
import type { CheckpointHead } from "./head.ts";

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

/** The small values of a checkpoint, its task, and how its last runner ended. */
export interface CheckpointSummary
  extends Omit<CheckpointHead, "file" | "title">,
    Pick<Checkpoint, "taskTitle" | "outcome"> {}

/** As {@link LoadedCheckpoint}, of a part of the checkpoint. */
export interface LoadedSummary extends Omit<LoadedCheckpoint, "checkpoint"> {
  readonly summary: CheckpointSummary;
}

/** One file that could not be used. It hides none of the others. */
export interface CheckpointProblem {
  /** Name of the file within the store's folder. */
  readonly file: string;
  readonly error: CheckpointError;
}

export interface LoadedCheckpoints {
  /** By phase id; `""` is the standalone run. */
  readonly checkpoints: ReadonlyMap<string, LoadedCheckpoint>;
  readonly problems: readonly CheckpointProblem[];
}

/** Where checkpoints are kept: one per phase, `""` being a standalone run. */
export interface CheckpointStore {
  /**
   * Replaces the phase's checkpoint whole or not at all, even if the process dies midway, and gives
   * it the next revision. Its work is done when it returns, before the promise resolves.
   *
   * @throws {CheckpointError} `ERR_INVALID_CHECKPOINT`, `ERR_TOO_LARGE`; `ERR_INCOMPATIBLE_VERSION`
   *   where another version's file would be replaced; `ERR_NOT_DURABLE`.
   */
  save(checkpoint: Checkpoint): Promise<void>;
  /**
   * Resolves to `undefined` when there is nothing to resume. Changes nothing: what is damaged stays.
   *
   * @throws {CheckpointError} when there is something, but no generation of it can be used.
   */
  load(phaseId?: string): Promise<LoadedCheckpoint | undefined>;
  /** Every checkpoint of the folder, and every file that is none. */
  loadAll(): Promise<LoadedCheckpoints>;
  /** Resolves whether or not there was one to remove. */
  remove(phaseId?: string): Promise<void>;
}

/** What is there, by the heads of the files; nothing is verified. */
export interface CheckpointListing {
  readonly heads: readonly CheckpointHead[];
  readonly problems: readonly CheckpointProblem[];
}

export interface RecoveredCheckpoints {
  /** The new names of what was damaged, `checkpoint.….toml.damaged-<time>`. */
  readonly quarantined: readonly string[];
  /** What can neither be loaded nor be quarantined: another version's file, a folder. */
  readonly problems: readonly CheckpointProblem[];
}

/** What a checkpoint says of money. */
type BookKey =
  | ("totalCostUsd" | "unknownCostUsd" | "hasUnreportedCosts" | "maxBudgetUsd")
  | ("turn" | "failure" | "ledger");

/** Checkpoints as files of a folder. */
export interface FileCheckpointStore extends CheckpointStore {
  /** For display: reads the first 4 KiB of each file, more only where that does not say enough. */
  list(): Promise<CheckpointListing>;
  /**
   * As `load`, of a part of the checkpoint, for who looks at many: where a file is whole and sealed with our key, the
   * rest of it is not read into values. It finds the same damage, and throws the same.
   */
  loadSummary(phaseId?: string): Promise<LoadedSummary | undefined>;
  /**
   * What the newest generation says of money whose own file is whole: its artifacts, which have none of it, may be
   * damaged.
   *
   * @throws {CheckpointError} as `load`
   */
  loadBooks(phaseId?: string): Promise<Pick<Checkpoint, BookKey> | undefined>;
  /**
   * Makes the folder ready for a new process to act on: what `load` is going to find is on disk, what
   * is damaged is quarantined and the generation before it takes its place, what a killed saver left
   * is gone. To be called under the caller's lock, before the first `load`.
   *
   * @throws {CheckpointError} `ERR_NOT_DURABLE`
   */
  recover(): Promise<RecoveredCheckpoints>;
}

export interface FileCheckpointStoreOptions {
  /** Folder of the files. The first `save` creates it. */
  readonly dir: string;
  /**
   * Secret of this machine's user, by which `load` tells files of ours from others.
   *
   * @default none: seals show damage, not origin
   */
  readonly sealKey?: Uint8Array | undefined;
  /** Which repository the runs are of; a file of another one is `foreign`. @default "" */
  readonly repositoryId?: string | undefined;
  /** Flush to disk before `save` resolves, so that a power cut is survived. @default true */
  readonly fsync?: boolean | undefined;
  /** @default the file system of this machine */
  readonly fs?: FileSystem | undefined;
  /** @default the random bytes of `node:crypto` */
  readonly random?: Random | undefined;
  /** Names what is quarantined. @default the system's clock */
  readonly now?: (() => Date) | undefined;
}
