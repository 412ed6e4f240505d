import { tracingChannel } from "node:diagnostics_channel";

/** A piece of work that can take long in a large repository, as it begins and ends. */
export interface GitWork {
  /**
   * The git command that runs, such as `status`; `make work tree` for all of `createWorktree`, `read files` for
   * all of `workTreeId`, whatever git does within them.
   */
  readonly what: string;
}

export interface GitWorkListener {
  /** Must not throw. Called for pieces of work within another one too. */
  begun(work: GitWork): void;
  /** Called with what `begun` was, however it ended. */
  ended(work: GitWork): void;
}

const channel = tracingChannel<GitWork, GitWork>("@quasar/git:work");

/**
 * Reports what this package does in this process, for progress on a screen. Costs nothing without a listener.
 *
 * @returns Unsubscribes.
 */
export function onGitWork({ begun, ended }: GitWorkListener): () => void {
  const ignored = (): void => {};
  const handlers = {
    start: begun,
    asyncEnd: ended,
    end: ignored,
    asyncStart: ignored,
    error: ignored,
  };
  channel.subscribe(handlers);
  return () => channel.unsubscribe(handlers);
}

/** Has listeners hear of a piece of work as long as it lasts. */
export function announced<T>(what: string, work: () => Promise<T>): Promise<T> {
  return channel.tracePromise(work, { what });
}
