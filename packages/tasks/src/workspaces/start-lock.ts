import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { acquireLock, DurableError, type Lock } from "@quasar/durable";
import { TasksError } from "../errors.ts";

const WAIT_MS = 30_000;
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
  const lock = await lockStart(join(home, "start.lock"), signal);
  try {
    return await work();
  } finally {
    lock.release();
  }
}

async function lockStart(path: string, signal: AbortSignal | undefined): Promise<Lock> {
  const deadline = performance.now() + WAIT_MS;
  for (;;) {
    signal?.throwIfAborted();
    try {
      return acquireLock(path);
    } catch (error) {
      if (!(error instanceof DurableError) || error.code !== "ERR_LOCKED") throw error;
      if (performance.now() >= deadline) throw heldBy(error);
    }
    await sleep(POLL_MS, undefined, { signal });
  }
}

function heldBy(error: DurableError): TasksError {
  const by = error.owner === undefined ? "another process" : `process ${error.owner.pid}`;
  const message = `${by} has been starting a task, or ending a workspace, for 30 seconds`;
  return new TasksError("ERR_LOCKED", message, { cause: error });
}
