import { join } from "node:path";
import type { DurableError } from "@quasar/durable";
import { TasksError } from "../errors.ts";
import { isHeld } from "../locked-by.ts";
import { waitForLock } from "../wait-for-lock.ts";

const LONGEST_MS = 30_000;
const POLL_MS = 25;

/**
 * Does something while no other process starts a task or ends a workspace.
 *
 * @throws {TasksError} `ERR_LOCKED` when another one is at it for 30 seconds.
 */
export async function whileNothingStarts<T>(
  { home, signal }: { readonly home: string; readonly signal?: AbortSignal | undefined },
  work: () => Promise<T>,
): Promise<T> {
  const path = join(home, "start.lock");
  const waiting = waitForLock({ path, pollMs: POLL_MS, longestMs: LONGEST_MS, signal });
  const lock = await waiting.catch((error: unknown) => {
    throw isHeld(error) ? heldBy(error) : error;
  });
  try {
    return await work();
  } finally {
    lock.release();
  }
}

function heldBy(error: DurableError): TasksError {
  const by = error.owner === undefined ? "another process" : `process ${error.owner.pid}`;
  const message = `${by} has been starting a task, or ending a workspace, for 30 seconds`;
  return new TasksError("ERR_LOCKED", message, { cause: error });
}
