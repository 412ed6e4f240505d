import { DurableError } from "@quasar/durable";
import { TasksError } from "./errors.ts";

/** Takes a lock. @throws {TasksError} `ERR_LOCKED`, which says who has it */
export function lockedBy<T>(doing: string, take: () => T): T {
  try {
    return take();
  } catch (error) {
    throw whoHas(doing, error);
  }
}

/** The error to be thrown where a lock could not be taken: who has it, if that is why. */
export function whoHas(doing: string, error: unknown): unknown {
  if (!isHeld(error)) return error;
  const { owner } = error;
  const who = owner === undefined ? "another process" : `process ${owner.pid} on ${owner.host}`;
  return new TasksError("ERR_LOCKED", `${who} ${doing}`, { cause: error });
}

/** Whether it says that somebody else has a lock. */
export function isHeld(error: unknown): error is DurableError {
  return error instanceof DurableError && error.code === "ERR_LOCKED";
}
