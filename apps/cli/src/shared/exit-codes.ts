/** How `quasar` tells its caller what happened. Part of the command's interface. */
export const EXIT = {
  /** The reviewer approved; for other commands: done. */
  ok: 0,
  error: 1,
  usage: 2,
  /** The cycles are used up, or the loop went in circles. */
  notApproved: 3,
  /** The budget or the time is used up. */
  budget: 4,
  /** A person is needed before it can continue. */
  person: 5,
  /** Refused for the user's sake: a dirty tree, a foreign HEAD, another runner … */
  refused: 6,
  /** Damaged state was quarantined. */
  corrupt: 7,
  nothingToResume: 8,
  /** A usage limit: the same command works later. */
  limit: 75,
  sighup: 129,
  sigint: 130,
  sigterm: 143,
} as const;

/** The exit codes of `atlas`: those of `quasar`, and its own. Part of the command's interface. */
export const ATLAS_EXIT = {
  ...EXIT,
  /** The task waits for a person's decision. */
  decision: 9,
  /** A receipt is not what was signed. */
  invalidReceipt: 10,
  /** Whether a receipt is what was signed cannot be said here. */
  unverifiableReceipt: 11,
  /** The key to sign with is missing, damaged, or others can read it. */
  key: 12,
} as const;

export type ExitCode = (typeof ATLAS_EXIT)[keyof typeof ATLAS_EXIT];
