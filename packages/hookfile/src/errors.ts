/** Why a hook file was refused. Part of the API: adding a code is minor, renaming one is major. */
export type HookFileErrorCode =
  /** The state has no such transition; nothing was changed. */
  | "ERR_INVALID_TRANSITION"
  /** A value is missing, of the wrong type or out of range; the message names the field. */
  | "ERR_INVALID_HOOK_FILE"
  /** Neither hook.json nor its previous generation nor the history can be read. */
  | "ERR_DAMAGED";

/** Thrown when a hook file cannot be read or changed. Branch on `code`, not `message`. */
export class HookFileError extends Error {
  override readonly name = "HookFileError";
  readonly code: HookFileErrorCode;

  constructor(code: HookFileErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
