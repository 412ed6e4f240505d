/** How long a run is left alone that has failed once, in milliseconds; each time twice as long as the time before. */
const FIRST_MS = 10_000;

/** How often a run is tried that fails here each time. */
const TRIES = 5;

/** Runs that this worker could not carry out: what may get better by itself is tried again, and not without an end. */
export class FailedRuns {
  readonly #times = new Map<string, number>();

  /** @returns For how long nobody is to take it, in milliseconds; `undefined`: it does not get better. */
  failed(runId: string): number | undefined {
    const times = (this.#times.get(runId) ?? 0) + 1;
    this.#times.set(runId, times);
    return times < TRIES ? FIRST_MS * 2 ** (times - 1) : undefined;
  }

  /** It was carried out, or is over. */
  forget(runId: string): void {
    this.#times.delete(runId);
  }
}
