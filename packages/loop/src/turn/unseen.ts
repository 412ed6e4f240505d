import { messageOf } from "../emitter.ts";
import type { Ending } from "../ending.ts";
import { failedBy } from "../full-disk.ts";

/** How an invoker says that a turn cannot be read just now. */
const UNREADABLE = "ERR_TURN_UNREADABLE";

/**
 * The end of a run whose turn cannot be read; `undefined` for any other error. The turn stays as
 * it is stored, for a resume to find.
 */
export function unseenTurn(error: unknown): Ending | undefined {
  const isUnreadable = error instanceof Error && "code" in error && error.code === UNREADABLE;
  return isUnreadable
    ? failedBy(error, { outcome: "storage", message: messageOf(error) })
    : undefined;
}
