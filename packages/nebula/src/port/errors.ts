/** Why a call of the port was refused. Part of the interface. */
export const PORT_ERROR_CODES = [
  /** There is no nebula of that id. */
  "ERR_NOT_FOUND",
  /** What is there is not what the call builds on: another submission has the id, or another state was recorded. */
  "ERR_CONFLICT",
  /** The call is wrong: an argument that no adapter takes. */
  "ERR_USAGE",
  /** What was to be kept is too large; nothing was changed. */
  "ERR_TOO_LARGE",
  /** No answer came. Whether the call was carried out is unknown; the same call again is safe. */
  "ERR_UNREACHABLE",
  /** One of the two sides does not have the fleet's key. */
  "ERR_DENIED",
  /** What answers is no server of this version. */
  "ERR_PROTOCOL",
] as const;

export type PortErrorCode = (typeof PORT_ERROR_CODES)[number];

/** A refusal of the port. `message` may hold texts of others: clean it before it is printed. */
export class PortError extends Error {
  override readonly name = "PortError";
  readonly code: PortErrorCode;

  constructor(code: PortErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

export function isPortErrorCode(code: string): code is PortErrorCode {
  return PORT_ERROR_CODES.some((each) => each === code);
}
