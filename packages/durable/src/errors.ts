import type { ProcessIdentity } from "@quasar/process";

/** Why something was refused or failed. Part of the API: adding a code is minor, renaming one is major. */
export type DurableErrorCode =
  /** A symbolic link, directory, FIFO, socket or device where a file was expected. */
  | "ERR_NOT_REGULAR"
  /** The file is larger than the caller accepts. */
  | "ERR_TOO_LARGE"
  /** The folder is a symbolic link or no folder. */
  | "ERR_UNSAFE_DIRECTORY"
  /** Others than its owner can reach the file, or somebody else owns it. */
  | "ERR_UNSAFE_MODE"
  /** Somebody else holds the lock: see {@link DurableError.owner}. */
  | "ERR_LOCKED"
  /** Something is there, but not what was written. */
  | "ERR_DAMAGED"
  /** The newest generation is not under its name; an older name of it, or an older one, was found. */
  | "ERR_MISSING"
  /** The change was not acknowledged by the disk: the old state or the new one is there, whole. */
  | "ERR_NOT_DURABLE";

export interface DurableErrorOptions extends ErrorOptions {
  readonly owner?: ProcessIdentity | undefined;
}

/**
 * Thrown where this package refuses something or cannot keep its promise. Branch on `code`, not
 * `message`. A system error that stops a read or the taking of a lock passes through as it is.
 */
export class DurableError extends Error {
  override readonly name = "DurableError";
  readonly code: DurableErrorCode;
  /** With `ERR_LOCKED`: who holds the lock, as far as it can be read; it may be about to release it. */
  readonly owner: ProcessIdentity | undefined;

  constructor(code: DurableErrorCode, message: string, options: DurableErrorOptions = {}) {
    super(message, options);
    this.code = code;
    this.owner = options.owner;
  }
}

/** Whether an error is a system error with one of these codes. */
export function hasErrno(error: unknown, ...codes: readonly string[]): error is Error {
  const errno = errnoOf(error);
  return errno !== undefined && codes.includes(errno);
}

/** The code of a system error, such as `EMFILE`; `undefined` for any other. */
export function errnoOf(error: unknown): string | undefined {
  const isCoded = error instanceof Error && "code" in error && typeof error.code === "string";
  return isCoded && /^E[A-Z0-9]+$/.test(error.code as string) ? (error.code as string) : undefined;
}
