import { ATLAS_EXIT, EXIT, type ExitCode } from "./exit-codes.ts";

/** Each reason to stop has a code, which `--json` prints, and an exit code. */
export const EXIT_OF = {
  ERR_USAGE: EXIT.usage,
  ERR_CONFIG: EXIT.usage,
  ERR_TASK: EXIT.usage,
  ERR_CHECK: EXIT.usage,
  ERR_NEBULA: EXIT.usage,
  ERR_UNSAFE_PATH: EXIT.error,
  ERR_NOT_A_REPOSITORY: EXIT.error,
  ERR_BARE_REPOSITORY: EXIT.usage,
  ERR_NO_COMMITS: EXIT.error,
  ERR_NOT_INSTALLED: EXIT.error,
  ERR_AGENT: EXIT.error,
  ERR_STATE: EXIT.error,
  ERR_UNEXPECTED: EXIT.error,
  ERR_NOT_APPROVED: EXIT.notApproved,
  ERR_BUDGET: EXIT.budget,
  ERR_PERSON: EXIT.person,
  ERR_UNTRUSTED_CONFIG: EXIT.refused,
  ERR_DIRTY: EXIT.refused,
  ERR_SIGNING: EXIT.refused,
  ERR_BRANCH_CHANGED: EXIT.refused,
  ERR_LOCKED: EXIT.refused,
  ERR_AGENT_ALIVE: EXIT.refused,
  ERR_UNFINISHED_RUN: EXIT.refused,
  ERR_HEAD_MOVED: EXIT.refused,
  ERR_FOREIGN_CHECKPOINT: EXIT.refused,
  ERR_OTHER_REPOSITORY: EXIT.refused,
  ERR_BRANCH: EXIT.refused,
  ERR_CORRUPT: EXIT.corrupt,
  ERR_NOTHING_TO_RESUME: EXIT.nothingToResume,
  ERR_LIMIT: EXIT.limit,
  ERR_NO_TASK: EXIT.error,
  ERR_NOT_FOUND: EXIT.usage,
  ERR_AMBIGUOUS: EXIT.usage,
  ERR_EXISTS: EXIT.refused,
  ERR_NOT_AWAITED: EXIT.refused,
  ERR_CHANGED: EXIT.refused,
  ERR_NOT_ACCEPTED: EXIT.refused,
  /** The server of a fleet does not answer. */
  ERR_UNREACHABLE: EXIT.error,
  /** It, or who calls it, has another key. */
  ERR_DENIED: EXIT.refused,
  /** There is no restate-server here: nothing installs it but a person. */
  ERR_NO_SERVER: EXIT.refused,
  ERR_KEY: ATLAS_EXIT.key,
  ERR_DECISION: ATLAS_EXIT.decision,
} as const satisfies Record<string, ExitCode>;

export type CliErrorCode = keyof typeof EXIT_OF;

export interface CliErrorOptions extends ErrorOptions {
  /** What the user can type, or do, to continue; most likely first. */
  readonly next?: readonly string[] | undefined;
}

/** A failure that a person can act on. Anything else that is thrown is a defect of ours. */
export class CliError extends Error {
  override readonly name = "CliError";
  readonly code: CliErrorCode;
  readonly next: readonly string[];

  constructor(code: CliErrorCode, message: string, options: CliErrorOptions = {}) {
    super(message, options);
    this.code = code;
    this.next = options.next ?? [];
  }

  get exitCode(): ExitCode {
    return EXIT_OF[this.code];
  }
}
