/** Why a checkpoint was refused. Part of the API: adding a code is minor, renaming one is major. */
export type CheckpointErrorCode =
  /** The file is of another version of the format; the message says whether newer or older. */
  | "ERR_INCOMPATIBLE_VERSION"
  /** HEAD is not where the checkpoint was taken; the message names both commits. */
  | "ERR_GIT_SHA_MISMATCH"
  /** A value is missing, of the wrong type or out of range, or the text is not TOML. */
  | "ERR_INVALID_CHECKPOINT"
  /** More than 4 MiB, even after its long texts were moved out. */
  | "ERR_TOO_LARGE"
  /** A file that cannot be read as what was once written: torn, altered, or no regular file. */
  | "ERR_DAMAGED"
  /** The file system does not let it be read, or its folder is a link. */
  | "ERR_UNREADABLE"
  /** A save or removal that the disk did not acknowledge: the old state or the new one is there. */
  | "ERR_NOT_DURABLE";

/** Thrown when a checkpoint cannot be read or must not be resumed. Branch on `code`, not `message`. */
export class CheckpointError extends Error {
  override readonly name = "CheckpointError";
  readonly code: CheckpointErrorCode;

  constructor(code: CheckpointErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
