import { stat } from "node:fs/promises";
import { isGone } from "./errors.ts";

/** How far a file's time may lie behind the clock: a tick of the kernel, 10 ms at most. */
export const TICK_MS = 10;

/** Whether a file has changed since a moment, by the time of its last change of any kind, which nobody can set. */
export async function isNewer(path: string, since: Date): Promise<boolean> {
  try {
    const { ctimeMs } = await stat(path);
    return ctimeMs > since.getTime() - TICK_MS;
  } catch (error) {
    if (isGone(error)) return false;
    throw error;
  }
}
