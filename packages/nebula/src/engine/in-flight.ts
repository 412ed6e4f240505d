import { setTimeout as sleep } from "node:timers/promises";

/**
 * What an engine has at work: a worker for each of some phases, and at most one piece of work in the lane. The first
 * error is kept until all of it has ended.
 */
export class InFlight {
  readonly #workers = new Map<string, Promise<void>>();
  #lane: Promise<void> | undefined;
  #failure: { readonly error: unknown } | undefined;
  #ended = 0;
  readonly #signal: AbortSignal;
  readonly #onFailure: (error: unknown) => void;

  /**
   * @param signal - What is thrown because of it is no failure.
   * @param onFailure - Called once; must not throw.
   */
  constructor(signal: AbortSignal, onFailure: (error: unknown) => void) {
    this.#signal = signal;
    this.#onFailure = onFailure;
  }

  /** Ids of the phases that have a worker. */
  get workers(): ReadonlySet<string> {
    return new Set(this.#workers.keys());
  }

  get hasLane(): boolean {
    return this.#lane !== undefined;
  }

  get isIdle(): boolean {
    return this.#workers.size === 0 && this.#lane === undefined;
  }

  /** How many pieces of work have ended: where it has grown, there may be more to do. */
  get ended(): number {
    return this.#ended;
  }

  get failure(): { readonly error: unknown } | undefined {
    return this.#failure;
  }

  /** Waits for work, and keeps its error: it throws none. */
  async guard(work: Promise<unknown>): Promise<void> {
    try {
      await work;
    } catch (error) {
      if (this.#signal.aborted && error === this.#signal.reason) return;
      if (this.#failure !== undefined) return;
      this.#failure = { error };
      this.#onFailure(error);
    }
  }

  addWorker(id: string, work: Promise<unknown>): void {
    const done = this.guard(work).finally(() => {
      this.#workers.delete(id);
      this.#ended += 1;
    });
    this.#workers.set(id, done);
  }

  useLane(work: Promise<unknown>): void {
    this.#lane = this.guard(work).finally(() => {
      this.#lane = undefined;
      this.#ended += 1;
    });
  }

  /** Waits until a piece of work has ended, or for a time. @param ms - In milliseconds. */
  async wait(ms: number): Promise<void> {
    // Where nothing works the timer alone keeps the process alive, and an interrupt ends it.
    const options = this.isIdle ? { signal: this.#signal } : { ref: false };
    const open = [...this.#workers.values(), ...(this.#lane === undefined ? [] : [this.#lane])];
    await Promise.race([...open, sleep(ms, undefined, options).catch(() => {})]);
  }
}
