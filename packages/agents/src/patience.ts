import { setTimeout as sleep } from "node:timers/promises";
import { AgentsError } from "./errors.ts";

/** How long a look that the system fails is repeated, in milliseconds, and how far apart. */
const [PATIENCE_MS, PAUSE_MS] = [5000, 100];

/**
 * Looks at files of a turn, or at its process. A look that the system fails, for want of descriptors or
 * by a fault of the disk, says nothing of the turn: it is repeated.
 *
 * @param look - May be called again after it threw.
 * @throws {AgentsError} `ERR_TURN_UNREADABLE` when it fails for 5 s.
 */
export async function patiently<T>(look: () => T | Promise<T>): Promise<T> {
  let failingSince: number | undefined;
  for (;;) {
    try {
      return await look();
    } catch (error) {
      if (!isOfSystem(error)) throw error;
      failingSince ??= performance.now();
      if (performance.now() - failingSince >= PATIENCE_MS) throw unreadable(error);
    }
    await sleep(PAUSE_MS);
  }
}

/** Whether the system refused a call. */
export function isOfSystem(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && "syscall" in error;
}

function unreadable(cause: Error): AgentsError {
  const message = `the turn's files cannot be read: ${cause.message}`;
  return new AgentsError("ERR_TURN_UNREADABLE", message, { cause });
}
