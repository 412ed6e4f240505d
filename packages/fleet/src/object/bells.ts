/** Who waits for a change of an object, by its key, in this process. */
export interface Bells {
  ring(key: string): void;
  /** Ends when somebody rings, or after so many milliseconds. */
  wait(key: string, ms: number): Promise<void>;
}

/**
 * When it rings after a change, in milliseconds: the server shows a change to others shortly after the handler has made it,
 * and who looks too early waits for the next ring.
 */
const RINGS_AFTER_MS = [10, 100, 1000];

export function createBells(): Bells {
  const waiting = new Map<string, Set<() => void>>();
  const ringNow = (key: string): void => {
    const all = waiting.get(key) ?? [];
    waiting.delete(key);
    for (const end of all) end();
  };
  return {
    ring(key) {
      for (const ms of RINGS_AFTER_MS) setTimeout(() => ringNow(key), ms).unref();
    },
    wait(key, ms) {
      return new Promise((done) => {
        const all = waiting.get(key) ?? new Set();
        waiting.set(key, all);
        const end = (): void => {
          clearTimeout(timer);
          all.delete(end);
          if (all.size === 0 && waiting.get(key) === all) waiting.delete(key);
          done();
        };
        const timer = setTimeout(end, ms);
        all.add(end);
      });
    },
  };
}
