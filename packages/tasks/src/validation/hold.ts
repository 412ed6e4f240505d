import { join } from "node:path";
import { endRunProcesses } from "@quasar/agents/turns";
import type { EndedProcesses } from "@quasar/process";
import { type Lock, lockHolder } from "@quasar/durable";
import { TasksError } from "../errors.ts";
import { isHeld } from "../locked-by.ts";
import { waitForLock } from "../wait-for-lock.ts";

const LOCK = "validation.lock";
const POLL_MS = 200;

/** The mark of a task's validation commands, and of all that they start: `QUASAR_RUN_ID`. */
export function validationRunId(taskId: string): string {
  return `${taskId}-validation`;
}

/** Whether a task's validation commands are run now, as far as can be known without waiting. */
export function isValidating(taskDir: string): boolean {
  return lockHolder(join(taskDir, LOCK)) !== undefined;
}

/**
 * Ends what is left of a task's validation commands: for a task that is given up.
 *
 * @returns `undefined` on a platform where nobody can know what is left.
 */
export function endValidation(taskId: string): Promise<EndedProcesses | undefined> {
  return endRunProcesses(validationRunId(taskId), { graceMs: 2000 });
}

export interface HoldOptions {
  readonly taskDir: string;
  readonly taskId: string;
  /** For whoever validates the task already; else it is refused. */
  readonly waits: boolean;
  readonly signal: AbortSignal;
}

/**
 * Takes a task's validation for this process, and ends what a killed one has left running. Nobody
 * who has died still holds it.
 *
 * @throws {TasksError} `ERR_LOCKED` where somebody else validates, or what is left cannot be ended; the
 *   signal's reason.
 */
export async function holdValidation(options: HoldOptions): Promise<Lock> {
  const lock = await take(options);
  try {
    const swept = await endValidation(options.taskId);
    if (swept === undefined || swept.left.length === 0) return lock;
    const left = `processes of an earlier validation cannot be ended: ${swept.left.join(", ")}`;
    throw new TasksError("ERR_LOCKED", left);
  } catch (error) {
    lock.release();
    throw error;
  }
}

async function take({ taskDir, waits, signal }: HoldOptions): Promise<Lock> {
  const path = join(taskDir, LOCK);
  const longestMs = waits ? undefined : 0;
  return waitForLock({ path, pollMs: POLL_MS, longestMs, signal }).catch((error: unknown) => {
    if (!isHeld(error)) throw error;
    const who = error.owner === undefined ? "another process" : `process ${error.owner.pid}`;
    throw new TasksError("ERR_LOCKED", `${who} validates this task already`, { cause: error });
  });
}
