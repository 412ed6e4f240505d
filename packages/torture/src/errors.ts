/** Why something cannot be tortured. Part of the API: adding a code is minor, renaming one is major. */
export type TortureErrorCode =
  /** A trial's processes are found in `/proc`: Linux only. */
  | "ERR_NOT_LINUX"
  /** The undisturbed run fails. */
  | "ERR_RUN_FAILS"
  /** Two undisturbed runs differ: there is nothing to compare with. */
  | "ERR_NOT_REPEATABLE";

/** Thrown when nothing can be learned from killing. Branch on `code`, not `message`. */
export class TortureError extends Error {
  override readonly name = "TortureError";
  readonly code: TortureErrorCode;

  constructor(code: TortureErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
