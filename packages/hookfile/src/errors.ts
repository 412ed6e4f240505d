/** Why a hook file was refused. Part of the API: adding a code is minor, renaming one is major. */
export type HookFileErrorCode =
  /** The state has no such transition; nothing was changed. */
  | "ERR_INVALID_TRANSITION"
  /** A value is missing, of the wrong type or out of range; the message names the field. */
  | "ERR_INVALID_HOOK_FILE"
  /** The file is of a version that this one does not know; it was left alone. */
  | "ERR_INCOMPATIBLE_VERSION"
  /** The hook that a change returned is of another revision than the one that it was given. */
  | "ERR_STALE"
  /** There is, or was, a task of this name. */
  | "ERR_EXISTS"
  /** There is no task to change. */
  | "ERR_NO_TASK"
  /** Neither hook.json nor its previous generation nor the history can be read. */
  | "ERR_DAMAGED"
  /** An id is not fit for a folder's name. */
  | "ERR_UNSAFE_ID"
  /** A text is no duration, or a negative one. */
  | "ERR_INVALID_DURATION";

/** Thrown when a hook file cannot be read or changed. Branch on `code`, not `message`. */
export class HookFileError extends Error {
  override readonly name = "HookFileError";
  readonly code: HookFileErrorCode;

  constructor(code: HookFileErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** Of a hook file, or of what is said of one, that cannot be. */
export function invalid(message: string): HookFileError {
  return new HookFileError("ERR_INVALID_HOOK_FILE", message);
}
