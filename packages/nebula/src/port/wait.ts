import type { Awaited } from "./board.ts";
import type { Json } from "./port.ts";

/**
 * Looks for a value until it is there.
 *
 * @param pause - Ends when it may be there, or after a while.
 * @returns `undefined` once nobody can give it any more.
 */
export async function waitFor(
  look: () => Promise<Awaited>,
  pause: () => Promise<unknown>,
  signal: AbortSignal,
): Promise<Json | undefined> {
  for (;;) {
    signal.throwIfAborted();
    const found = await look();
    if (found.as === "value") return found.value;
    if (found.as === "over") return undefined;
    signal.throwIfAborted();
    await pause();
  }
}
