/** The names within a task's folder. */
export const TASK_FILES = {
  hook: "hook.json",
  hookMd: "HOOK.md",
  /** A folder. */
  history: "history",
  /** Says that the task was removed, and what it was: where it is, there is no task. */
  tombstone: "tombstone.json",
  hookLock: "hook.lock",
  runLock: "run.lock",
  /** A folder. */
  inbox: "inbox",
  /** A folder. */
  artifacts: "artifacts",
} as const;
