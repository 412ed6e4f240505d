import { setTimeout as sleep } from "node:timers/promises";
import { GitError, type Repository } from "@quasar/git";
import { messageOf } from "@quasar/runs/internal";
import { type DepotUpdate, type PushedToDepot, pushToDepot } from "@quasar/git/depot";
import { PortError } from "../port/index.ts";

/** How often a server or a depot is tried that is out of reach, in milliseconds. */
export const AGAIN_MS = 1000;

/** Whether an error says no more than that a server, or a depot, is out of reach. */
export function isUnreachable(error: unknown): boolean {
  if (error instanceof PortError) return error.code === "ERR_UNREACHABLE";
  return error instanceof GitError && error.code === "ERR_REMOTE_UNREACHABLE";
}

/** The server of the fleet, among what may be out of reach; a depot is known by its URL. */
export const SERVER = "";

/** Hears of what is out of reach, any number of times, and of what is in reach. */
export interface Reach {
  away(what: string, message: string): void;
  back(what: string): void;
}

export interface WhenReached {
  readonly signal: AbortSignal;
  readonly reach: Reach;
  /** The depot that is asked, too. @default the server is asked alone */
  readonly depot?: string | undefined;
}

/**
 * Does what asks the server or a depot, and again as long as one of them is out of reach.
 *
 * @throws what the work throws; the signal's reason
 */
export async function whenReached<T>(
  work: () => Promise<T>,
  { signal, reach, depot = SERVER }: WhenReached,
): Promise<T> {
  for (;;) {
    signal.throwIfAborted();
    try {
      const done = await work();
      reach.back(depot);
      return done;
    } catch (error) {
      if (!isUnreachable(error)) throw error;
      reach.away(error instanceof PortError ? SERVER : depot, messageOf(error));
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
  readonly reach: Reach;
}

/**
 * Pushes as soon as the depot is in reach. Whether a push was made that had no answer is unknown: made again it changes
 * nothing.
 *
 * @throws {GitError} as `pushToDepot` does; the signal's reason
 */
export async function pushWhenReached(
  repository: Repository,
  { url, updates, signal, reach }: PushWhenReached,
): Promise<Exclude<PushedToDepot, { readonly kind: "unreachable" }>> {
  for (;;) {
    const pushed = await pushToDepot(repository, { url, updates, signal });
    if (pushed.kind !== "unreachable") {
      reach.back(url);
      return pushed;
    }
    reach.away(url, pushed.message);
    await pause(signal);
  }
}
