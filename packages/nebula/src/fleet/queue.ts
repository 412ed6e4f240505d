/** Does one thing after the other, whether the one before has failed or not. */
export class Queue {
  #last: Promise<unknown> = Promise.resolve();

  run<T>(work: () => Promise<T>): Promise<T> {
    const next = this.#after(this.#last, work);
    this.#last = next;
    return next;
  }

  async #after<T>(last: Promise<unknown>, work: () => Promise<T>): Promise<T> {
    await last.catch(() => {});
    return work();
  }
}

/** The same by a key: what is of another key is done beside it. */
export class KeyedQueue {
  readonly #queues = new Map<string, Queue>();

  run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const queue = this.#queues.get(key) ?? new Queue();
    this.#queues.set(key, queue);
    return queue.run(work);
  }
}
