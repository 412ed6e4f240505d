import { openRepository } from "@quasar/git";
import type { RunDriver } from "@quasar/runs/tree";
import { TasksError } from "../errors.ts";
import type { RunningStep } from "../steps/step.ts";

/**
 * A step as the driver of its runs.
 *
 * @throws {GitError} for a work tree that cannot be used.
 */
export async function stepDriver(input: RunningStep): Promise<RunDriver> {
  const { worktree, signal, step, tell, ports } = input;
  const { holdsLock = () => true } = ports;
  const warn = (message: string): void => tell({ type: "warning", message });
  return {
    repository: await openRepository(worktree, { signal }),
    signal,
    holdsLock,
    beforeSave() {
      if (!holdsLock()) throw new TasksError("ERR_LOCKED", "another process drives the task");
    },
    notice: warn,
    warn,
    waiting: (event) => tell({ ...event, step: step.name }),
  };
}
