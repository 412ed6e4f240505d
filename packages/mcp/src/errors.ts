/** Why a call was refused. Part of the API: adding a code is minor, renaming one is major. */
export type McpErrorCode =
  /** An argument is none that can be meant. */
  | "ERR_ARGUMENT"
  /** No run, nebula, phase or receipt has this id. */
  | "ERR_NOT_FOUND"
  /** The server was not started for this, or the caller has used up what it may. */
  | "ERR_NOT_ALLOWED"
  /** A run has started the caller. */
  | "ERR_WITHIN_RUN"
  /** The command that does it failed. */
  | "ERR_COMMAND";

/** Thrown where a call cannot be done. Branch on `code`, not `message`; the message has no text of others. */
export class McpError extends Error {
  override readonly name = "McpError";
  readonly code: McpErrorCode;

  constructor(code: McpErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
