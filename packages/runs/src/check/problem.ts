import type { NextStep } from "../next-step.ts";
import type { User } from "../user/user.ts";
import type { Workspace } from "../workspace.ts";

/** Where a check looks. */
export interface Place {
  readonly workspace: Workspace;
  readonly user: Pick<User, "folders" | "existingSealKey">;
}

/** What is not as it should be. Part of the API: adding a code is minor, renaming one is major. */
export type ProblemCode =
  | "UNCHECKED"
  | "GIT_OPERATION"
  | "GIT_LOCK"
  | "RUNNER_KILLED"
  | "AGENT_LEFT"
  | "NOT_A_FOLDER"
  | "QUARANTINED"
  | "NO_CHECKPOINT"
  | "DAMAGED"
  | "UNREADABLE"
  | "SUPERVISOR_FAILED"
  | "JOURNAL_DAMAGED"
  | "UNFINISHED_SAVE"
  | "SNAPSHOTS_LEFT"
  | "SNAPSHOTS_UNPACKED"
  | "COMMITTED"
  | "NOT_IGNORED"
  | "OPEN_TO_OTHERS";

/** Something that is not as it should be. */
export interface Problem {
  readonly code: ProblemCode;
  /** For a person; hostile text in it is not cleaned yet. */
  readonly message: string;
  /** What can be done about it without losing anything; `undefined` where that takes a person. */
  readonly fix?: Fix | undefined;
  /** What else helps, most likely first. */
  readonly next: readonly NextStep[];
}

export interface Fix {
  /** In words, after "would". */
  readonly does: string;
  /** Call it under the lock of the work tree. */
  readonly run: () => void | Promise<void>;
}

/** One after the other, as they are found. Changes nothing. */
export type Look = (place: Place) => Iterable<Problem> | AsyncIterable<Problem>;
