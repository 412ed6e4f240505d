/** What was wrong when a task was opened; the opening has dealt with it. */
export interface Problem {
  readonly code: ProblemCode;
  /** One sentence for a person. */
  readonly message: string;
}

export type ProblemCode =
  /** hook.json, or a generation of it, is not what was written: it was quarantined. */
  | "damaged_hook"
  /** The history ends in a record that a crash has kept from being finished; it was never acknowledged. */
  | "torn_history"
  /** The history lacks what hook.json was written after, or is not what was written: see a person. */
  | "damaged_history";
