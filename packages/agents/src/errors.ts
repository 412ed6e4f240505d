/** Why this package refused to work. Adding a code is minor, renaming one is major. */
export type AgentsErrorCode =
  | "ERR_INVALID_CONFIG"
  | "ERR_INVALID_RUN_ID"
  | "ERR_INVALID_SCRIPT"
  /** Something of a turn still runs, or nobody can know. */
  | "ERR_NOT_ENDED"
  /** There are files of the turn already: a number is used once. */
  | "ERR_TURN_BEGUN"
  /** The system does not let a turn be read. Its agent may work on: nothing is known of its end. */
  | "ERR_TURN_UNREADABLE"
  /** The supervisor's program is not where it belongs. */
  | "ERR_NO_SUPERVISOR";

/**
 * Thrown for a caller's mistake only; whatever an agent does wrong is a result with a `failure`.
 * Branch on `code`, not `message`.
 */
export class AgentsError extends Error {
  override readonly name = "AgentsError";
  readonly code: AgentsErrorCode;

  constructor(code: AgentsErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
