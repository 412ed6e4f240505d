import { setTimeout as sleep } from "node:timers/promises";
import { lockHolder } from "@quasar/durable";
import { codeOf } from "@quasar/runs/internal";
import { eventsIn } from "./events.ts";
import { nebulaHome } from "./home.ts";
import type { KeptEvent } from "./recent-events.ts";

const LOOK_MS = 250;

export interface FollowOptions {
  /** Whether it waits for more while an engine works on the nebula. @default false */
  readonly follow?: boolean | undefined;
  /** Ends it, while it waits too. @default never */
  readonly signal?: AbortSignal | undefined;
}

/**
 * What has happened to a nebula, oldest first, as far as its journal holds.
 *
 * @param commonDir - The git folder that all work trees share.
 */
export async function* followEvents(
  commonDir: string,
  id: string,
  { follow = false, signal }: FollowOptions = {},
): AsyncGenerator<KeptEvent, undefined> {
  const home = nebulaHome(commonDir, id);
  let shown = 0;
  for (;;) {
    // In this order: what an engine says at its end is read after it was seen to have ended.
    const isOver = !follow || lockHolder(home.lock) === undefined;
    const events = eventsIn(home);
    // A damaged journal has been quarantined, and this is another.
    if (events.length < shown) shown = 0;
    yield* events.slice(shown);
    shown = events.length;
    if (isOver) return undefined;
    await sleep(LOOK_MS, undefined, { signal }).catch(unlessAborted);
    if (signal?.aborted === true) return undefined;
  }
}

function unlessAborted(error: unknown): void {
  if (codeOf(error) !== "ABORT_ERR") throw error;
}
