import { setTimeout as sleep } from "node:timers/promises";
import { codeOf } from "./errors.ts";

const LOOK_MS = 250;

export interface FollowOptions {
  /** Whether it waits for more while somebody adds to it. @default false */
  readonly follow?: boolean | undefined;
  /** Ends it, while it waits too. @default never */
  readonly signal?: AbortSignal | undefined;
}

/** What a look at a list that grows has found. */
interface Found<T, E> {
  readonly items: readonly T[];
  readonly end: E;
}

/** A list that others add to. */
interface Followed<T, E> {
  /** Whether somebody adds to it yet. */
  readonly grows: () => boolean | Promise<boolean>;
  readonly read: () => Found<T, E>;
}

/**
 * The items of a list that others add to, each once.
 *
 * @returns What the last look has found beside them; `undefined` where the signal ended it.
 */
export async function* followItems<T, E>(
  { grows, read }: Followed<T, E>,
  { follow = false, signal }: FollowOptions,
): AsyncGenerator<T, E | undefined> {
  let shown = 0;
  for (;;) {
    // In this order: what is added last is read after it was seen that nothing more comes.
    const isOver = !follow || !(await grows());
    const { items, end } = read();
    // A damaged one has been quarantined, and this is another.
    if (items.length < shown) shown = 0;
    yield* items.slice(shown);
    shown = items.length;
    if (isOver) return end;
    await sleep(LOOK_MS, undefined, { signal }).catch(unlessAborted);
    if (signal?.aborted === true) return undefined;
  }
}

function unlessAborted(error: unknown): void {
  if (codeOf(error) !== "ABORT_ERR") throw error;
}
