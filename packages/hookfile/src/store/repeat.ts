import { setTimeout } from "node:timers/promises";
import { HookFileError } from "../errors.ts";

/** Waits for milliseconds; rejects when the signal is aborted. */
export type Wait = (milliseconds: number, signal: AbortSignal) => Promise<unknown>;

export interface RepeatOptions {
  /** Milliseconds from the end of one call to the next; 0: never. */
  readonly every: number;
  readonly act: (signal: AbortSignal) => void | Promise<void>;
  /**
   * Told what a call has thrown, but for the signal's reason; the next one comes all the same. Must
   * not throw.
   */
  readonly onError: (error: unknown) => void;
  /** Ends it, as `stop` does. */
  readonly signal?: AbortSignal | undefined;
  /** @default a timer that does not keep the process alive */
  readonly wait?: Wait | undefined;
}

/** What continues in the background until it is stopped. */
export interface Repetition {
  /** No call begins any more. Resolves when the one in progress, whose signal is aborted, has ended. */
  stop(): Promise<void>;
}

const LONGEST = 2 ** 31 - 1;

/**
 * Calls again and again, never twice at once.
 *
 * @throws {HookFileError} `ERR_INVALID_DURATION` where a timer could not keep to `every`.
 */
export function repeat({ every, act, onError, signal, wait = later }: RepeatOptions): Repetition {
  if (!Number.isInteger(every) || every < 0 || every > LONGEST) {
    const message = `${every} is no number of milliseconds from 0 to ${LONGEST}`;
    throw new HookFileError("ERR_INVALID_DURATION", message);
  }
  const own = new AbortController();
  const ended = signal === undefined ? own.signal : AbortSignal.any([own.signal, signal]);
  const running = every === 0 ? Promise.resolve() : run();
  return {
    stop: () => {
      own.abort();
      return running;
    },
  };

  async function run(): Promise<void> {
    while (await isOver(wait(every, ended))) {
      try {
        await act(ended);
      } catch (error) {
        if (!ended.aborted || error !== ended.reason) onError(error);
      }
    }
  }

  /** `false` where it was told to end instead. */
  async function isOver(waiting: Promise<unknown>): Promise<boolean> {
    try {
      await waiting;
    } catch (error) {
      if (!ended.aborted) throw error;
    }
    return !ended.aborted;
  }
}

const later: Wait = (milliseconds, signal) => {
  return setTimeout(milliseconds, undefined, { signal, ref: false });
};
