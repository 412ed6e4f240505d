import { setTimeout as sleep } from "node:timers/promises";

const LOOK_MS = 50;

/** What was waited for has not come in time. */
export class Late extends Error {}

/** Resolves with what a look gives, once it gives something. @throws {Late} */
export async function until<T>(
  what: string,
  timeoutMs: number,
  look: () => T | undefined | false | Promise<T | undefined | false>,
): Promise<T> {
  const end = performance.now() + timeoutMs;
  for (;;) {
    const found = await look();
    if (found !== undefined && found !== false) return found;
    if (performance.now() > end) throw new Late(`not within ${timeoutMs / 1000} s: ${what}`);
    await sleep(LOOK_MS);
  }
}
