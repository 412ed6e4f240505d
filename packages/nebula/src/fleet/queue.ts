/** Does one thing after the other, by a key: what is of another key goes on beside it. */
export class KeyedQueue {
  readonly #last = new Map<string, Promise<unknown>>();

  run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const next = (this.#last.get(key) ?? Promise.resolve()).catch(() => {}).then(work);
    this.#last.set(key, next);
    return next;
  }
}
