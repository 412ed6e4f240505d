import { AGAIN_MS, type Reach } from "./reach.ts";

/** What a worker reports of the server, or of a depot, that is out of reach. */
export type ReachEvent =
  /** @see `message`: in words of others */
  | { readonly type: "away"; readonly depot: string; readonly message: string }
  | { readonly type: "back"; readonly depot: string; readonly awayMs: number };

/** Reports once that something is out of reach, and once that it is back. */
export class ReachLog implements Reach {
  readonly #tell: (event: ReachEvent) => void;
  readonly #now: () => number;
  /** Since when, in milliseconds. */
  readonly #away = new Map<string, number>();

  constructor(tell: (event: ReachEvent) => void, now: () => number = () => performance.now()) {
    this.#tell = tell;
    this.#now = now;
  }

  isAway(what: string): boolean {
    return this.#away.has(what);
  }

  away(what: string, message: string): void {
    if (this.#away.has(what)) return;
    this.#away.set(what, this.#now());
    this.#tell({ type: "away", depot: what, message });
  }

  back(what: string): void {
    const awayMs = Math.round(this.#now() - (this.#away.get(what) ?? Number.POSITIVE_INFINITY));
    // What had begun before may be done still.
    if (awayMs < AGAIN_MS) return;
    this.#away.delete(what);
    this.#tell({ type: "back", depot: what, awayMs });
  }
}
