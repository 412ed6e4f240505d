import { withName } from "@quasar/process/files";
import type { Decision } from "./operations/decisions.ts";

/** Why a task could not be worked on. Part of the interface. */
export type TasksErrorCode =
  /** A template, by name or by file, is none. */
  | "ERR_TEMPLATE"
  /** A value of the configuration is missing, of the wrong type or out of range. */
  | "ERR_CONFIG"
  /** `task.json` or `workspace.json` is not what was written; it was left alone. */
  | "ERR_DAMAGED"
  /** There is no such task or workspace. */
  | "ERR_NOT_FOUND"
  /** More than one task could be meant: the message lists them. */
  | "ERR_AMBIGUOUS"
  /** There is something of this name already. */
  | "ERR_EXISTS"
  /** The task could not be created: there is none. */
  | "ERR_NOT_CREATED"
  /** A task of the workspace, or of the work tree, has not ended. */
  | "ERR_ACTIVE"
  /** An id is not fit for a folder's or a branch's name. */
  | "ERR_UNSAFE_ID"
  /** Another process drives the task, or works in its work tree: the message says which. */
  | "ERR_LOCKED"
  /** What was asked for is not what the task waits for. */
  | "ERR_NOT_ACCEPTED"
  | "ERR_NOT_AWAITED"
  /** What was reviewed is not what is there any more. */
  | "ERR_CHANGED"
  /** A work tree has work that would be lost. */
  | "ERR_DIRTY"
  /** A work tree that is to be removed has more ignored files than are kept. */
  | "ERR_IGNORED";

interface TasksErrorOptions extends ErrorOptions {
  readonly decisions?: readonly Decision[] | undefined;
}

/** A failure that a person can act on; what else is thrown comes from the packages below. */
export class TasksError extends Error {
  override readonly name = "TasksError";
  readonly code: TasksErrorCode;
  /** What a person can decide instead, what is recommended first: of `ERR_NOT_AWAITED`. */
  readonly decisions: readonly Decision[];

  constructor(
    code: TasksErrorCode,
    message: string,
    { decisions = [], ...options }: TasksErrorOptions = {},
  ) {
    super(message, options);
    this.code = code;
    this.decisions = decisions;
  }
}

/** What an error says, whatever was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? withName(error).message : String(error);
}

/** Of a system's error, or of one of ours. */
export function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? withName(error).code : undefined;
}
