/** Why a receipt or a key was refused. Part of the API: adding a code is minor, renaming one is major. */
export type ReceiptErrorCode =
  /** A value is missing, of the wrong type or out of range; the message names the field. */
  "ERR_INVALID_RECEIPT";

/** Thrown when a receipt cannot be made or read, or a key must not be used. Branch on `code`. */
export class ReceiptError extends Error {
  override readonly name = "ReceiptError";
  readonly code: ReceiptErrorCode;

  constructor(code: ReceiptErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
