/** Why a receipt or a key was refused. Part of the API: adding a code is minor, renaming one is major. */
export type ReceiptErrorCode =
  /** A value is missing, of the wrong type or out of range; the message names the field. */
  | "ERR_INVALID_RECEIPT"
  /** An id that could leave its folder as part of a file name. */
  | "ERR_UNSAFE_ID"
  /** The folder has a receipt of this id already. */
  | "ERR_DUPLICATE_ID"
  /** A command's output is not where it is to be kept. */
  | "ERR_MISSING_OUTPUT"
  /** A signature that is not hex. */
  | "ERR_MALFORMED_SIGNATURE"
  /** Not `m/44'/236'/<generation>'/<task>'/<receipt>'`. */
  | "ERR_INVALID_KEY_PATH"
  /** Others can reach the private key or its folder. */
  | "ERR_UNSAFE_KEY"
  /** There was a private key, and neither it nor its backup is here. */
  | "ERR_MISSING_KEY"
  /** A key file that is not what was once written. It is never replaced. */
  | "ERR_DAMAGED_KEY"
  /** The list of tasks or the head of a chain is not what was once written. */
  | "ERR_DAMAGED"
  /** Another process has held the keys for longer than the wait. */
  | "ERR_LOCKED"
  /** The receipt, or that it is in its chain, was not kept; its cause says why. The next signing counts it if it was. */
  | "ERR_NOT_SIGNED";

/** Thrown when a receipt cannot be made or read, or a key must not be used. Branch on `code`. */
export class ReceiptError extends Error {
  override readonly name = "ReceiptError";
  readonly code: ReceiptErrorCode;

  constructor(code: ReceiptErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** Text for a person of whatever was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
