import { withName } from "@quasar/process/files";
import { cleanStep, type NextStep } from "./next-step.ts";
import { clean } from "./text/clean.ts";

/** Each reason to refuse or stop has a code. */
export type RunsErrorCode =
  | "ERR_USAGE"
  | "ERR_UNSAFE_PATH"
  | "ERR_NOT_A_REPOSITORY"
  | "ERR_STATE"
  | "ERR_DIRTY"
  | "ERR_BRANCH_CHANGED"
  | "ERR_HEAD_MOVED"
  | "ERR_LOCKED"
  | "ERR_AGENT_ALIVE"
  | "ERR_UNFINISHED_RUN"
  | "ERR_FOREIGN_CHECKPOINT"
  | "ERR_CORRUPT"
  | "ERR_NOTHING_TO_RESUME"
  | "ERR_LIMIT"
  | "ERR_BUDGET";

export interface RunsErrorOptions extends ErrorOptions {
  /** What helps, most likely first. @default nothing */
  readonly next?: readonly NextStep[] | undefined;
}

/** A failure that a person can act on. Its message and its steps are safe to print. */
export class RunsError extends Error {
  override readonly name = "RunsError";
  readonly code: RunsErrorCode;
  readonly next: readonly NextStep[];

  constructor(code: RunsErrorCode, message: string, options: RunsErrorOptions = {}) {
    super(clean(message), options);
    this.code = code;
    this.next = (options.next ?? []).map(cleanStep);
  }
}

/** The code of an error of the system or of a library, `"unknown"` for any other. */
export function codeOf(error: unknown): string {
  const known = withName(error);
  return known instanceof Error && "code" in known && typeof known.code === "string"
    ? known.code
    : "unknown";
}

/** What an error says, never nothing. */
export function messageOf(error: unknown): string {
  const message = error instanceof Error ? withName(error).message : String(error);
  return message === "" ? "unknown failure" : message;
}
