/** Why a loop could not begin. Part of the API: adding a code is minor, renaming one is major. */
export type LoopErrorCode = "ERR_INVALID_OPTIONS" | "ERR_INVALID_TASK";

/**
 * Thrown for a mistake of the caller, before anything is spent. Whatever goes wrong later is the
 * outcome of a `TaskResult` instead. Branch on `code`, not `message`.
 */
export class LoopError extends Error {
  override readonly name = "LoopError";
  readonly code: LoopErrorCode;

  constructor(code: LoopErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
