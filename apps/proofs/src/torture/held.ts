import { acquireLock, DurableError } from "@quasar/durable";

/** Whether a process holds a lock. */
export function isHeld(path: string): boolean {
  try {
    acquireLock(path).release();
    return false;
  } catch (error) {
    if (error instanceof DurableError && error.code === "ERR_LOCKED") return true;
    throw error;
  }
}
