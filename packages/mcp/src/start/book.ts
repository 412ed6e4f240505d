import type { Detached } from "./detached.ts";
import type { Started } from "./limits.ts";

/** What this server's caller has started. */
export interface StartBook {
  /** What counts against the limits now. */
  readonly started: () => Started;
  /**
   * Begins to count a start, before it is known whether it succeeds.
   *
   * @returns What is called with the command once it is there, or with nothing where it never began.
   */
  begin(now: number): (command: Detached | undefined) => void;
}

export function createStartBook(): StartBook {
  const entries = new Set<{ readonly at: number; command: Detached | undefined }>();
  return {
    started: () => ({
      at: [...entries].map(({ at }) => at),
      atWork: [...entries].filter(({ command }) => command?.hasEnded() !== true).length,
    }),
    begin(now) {
      const entry = { at: now, command: undefined as Detached | undefined };
      entries.add(entry);
      return (command) => {
        entry.command = command;
        if (command === undefined) entries.delete(entry);
      };
    },
  };
}
