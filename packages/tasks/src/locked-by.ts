import { DurableError } from "@quasar/durable";
import { TasksError } from "./errors.ts";

/** Takes a lock. @throws {TasksError} `ERR_LOCKED`, which says who has it */
export function lockedBy<T>(doing: string, take: () => T): T {
  try {
    return take();
  } catch (error) {
    if (!(error instanceof DurableError) || error.code !== "ERR_LOCKED") throw error;
    const { owner } = error;
    const who = owner === undefined ? "another process" : `process ${owner.pid} on ${owner.host}`;
    throw new TasksError("ERR_LOCKED", `${who} ${doing}`, { cause: error });
  }
}
