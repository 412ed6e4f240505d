import { waitUntil } from "@quasar/loop/internal";
import { type Patience, pauseFor } from "./pause.ts";
import type { Waiting } from "../events.ts";

/** What became of a wait at a usage limit. */
export type Waited =
  | { readonly as: "over" }
  | { readonly as: "interrupted" }
  /** It would take longer than it may. */
  | { readonly as: "refused"; readonly message: string };

/** Who waits. */
export interface WaitingDriver {
  /** Aborted: the wait is over. */
  readonly signal: AbortSignal;
  waiting(event: Waiting): void;
}

/** Waits at usage limits, together no longer than allowed before a turn succeeds again. */
export class Waiter {
  readonly #driver: WaitingDriver;
  #patience: Patience;

  /** @param limitMs - Milliseconds; 0 is not at all. */
  constructor(driver: WaitingDriver, limitMs: number) {
    this.#driver = driver;
    this.#patience = { limitMs, waitedMs: 0, tries: 0 };
  }

  /** A turn has succeeded: the next limit is a new one. */
  renew(): void {
    this.#patience = { ...this.#patience, waitedMs: 0, tries: 0 };
  }

  /**
   * @param retryAt - RFC 3339: when the limit is lifted; `undefined` where nobody said so.
   * @param message - Of the limit, for a person.
   */
  async wait(retryAt: string | undefined, message: string): Promise<Waited> {
    const { signal } = this.#driver;
    const now = Date.now();
    const { limitMs, waitedMs, tries } = this.#patience;
    const pause = pauseFor(retryAt, this.#patience, now);
    if ("refused" in pause) return { as: "refused", message: pause.refused };
    const { until } = pause;
    this.#driver.waiting({
      type: "waiting",
      until: new Date(until).toISOString(),
      waitMs: until - now,
      isKnown: retryAt !== undefined && Date.parse(retryAt) === until,
      message,
    });
    const waited = await waitUntil(until, limitMs - waitedMs, signal);
    const total = waitedMs + waited.waitedMs;
    this.#patience = { limitMs, waitedMs: total, tries: tries + 1 };
    if (waited.isOver) return { as: "over" };
    if (signal.aborted) return { as: "interrupted" };
    return this.wait(retryAt, message);
  }
}
