import { setTimeout as sleep } from "node:timers/promises";
import { askRemote } from "@quasar/git/internal";
import { messageOf } from "@quasar/runs/internal";
import type { Reach } from "./reach.ts";

/** How long a depot is left alone that is out of reach, in milliseconds. */
const PROBE_MS = 5000;

/** Asks depots that are out of reach, and that nothing of this worker waits for, whether they are back. */
export class DepotProbe {
  readonly #reach: Reach;
  readonly #signal: AbortSignal;
  /** Those that are just asked, or were asked a moment ago. */
  readonly #probed = new Set<string>();

  constructor(reach: Reach, signal: AbortSignal) {
    this.#reach = reach;
    this.#signal = signal;
  }

  /** Reports those that do not answer. */
  askFirst(depots: readonly string[]): void {
    for (const depot of depots) {
      askRemote(depot, { signal: this.#signal }).catch((error: unknown) => {
        if (!this.#signal.aborted) this.#reach.away(depot, messageOf(error));
      });
    }
  }

  ask(depot: string): void {
    if (this.#probed.has(depot)) return;
    this.#probed.add(depot);
    const signal = AbortSignal.any([this.#signal, AbortSignal.timeout(PROBE_MS)]);
    const pause = sleep(PROBE_MS, undefined, { signal: this.#signal }).catch(() => {});
    const asked = askRemote(depot, { signal }).then(
      () => this.#reach.back(depot),
      () => {},
    );
    void Promise.all([asked, pause]).then(() => this.#probed.delete(depot));
  }
}
