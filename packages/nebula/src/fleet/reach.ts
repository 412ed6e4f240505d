import { setTimeout as sleep } from "node:timers/promises";
import { GitError, type Repository } from "@quasar/git";
import { type DepotUpdate, type PushedToDepot, pushToDepot } from "@quasar/git/depot";
import { messageOf } from "@quasar/runs/internal";
import { PortError } from "../port/index.ts";

/** How often a server or a depot is tried that is out of reach, in milliseconds. */
export const AGAIN_MS = 1000;

/** Whether an error says no more than that a server, or a depot, is out of reach. */
export function isUnreachable(error: unknown): boolean {
  if (error instanceof PortError) return error.code === "ERR_UNREACHABLE";
  return error instanceof GitError && error.code === "ERR_REMOTE_UNREACHABLE";
}

/**
 * Does something as soon as the server and the depot are in reach.
 *
 * @param warn - Called with each reason, once.
 * @throws what it throws for any other reason; the signal's reason
 */
export async function whenReached<T>(
  work: () => Promise<T>,
  signal: AbortSignal,
  warn: (message: string) => void,
): Promise<T> {
  for (let told = ""; ; ) {
    signal.throwIfAborted();
    try {
      return await work();
    } catch (error) {
      if (!isUnreachable(error)) throw error;
      const message = messageOf(error);
      if (message !== told) warn(message);
      told = message;
      await pause(signal);
    }
  }
}

/** Waits for a moment. @throws the signal's reason */
export async function pause(signal: AbortSignal): Promise<void> {
  await sleep(AGAIN_MS, undefined, { signal }).catch(() => signal.throwIfAborted());
}

export interface PushWhenReached {
  readonly url: string;
  readonly updates: readonly DepotUpdate[];
  readonly signal: AbortSignal;
  /** Called once where the depot is out of reach. @default nobody is to know */
  readonly warn?: ((message: string) => void) | undefined;
}

/**
 * Pushes as soon as the depot is in reach. Whether a push was made that had no answer is unknown: made again it changes
 * nothing.
 *
 * @throws {GitError} as `pushToDepot` does; the signal's reason
 */
export async function pushWhenReached(
  repository: Repository,
  { url, updates, signal, warn }: PushWhenReached,
): Promise<Exclude<PushedToDepot, { readonly kind: "unreachable" }>> {
  for (let told = false; ; told = true) {
    const pushed = await pushToDepot(repository, { url, updates, signal });
    if (pushed.kind !== "unreachable") return pushed;
    if (!told) warn?.(`the depot cannot be reached: ${pushed.message}`);
    await pause(signal);
  }
}
