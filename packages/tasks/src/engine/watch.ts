import { setTimeout as sleep } from "node:timers/promises";
import { GitError, type RepositoryFacts } from "@quasar/git";
import type { StepCheckpoint } from "@quasar/hookfile";
import { isSetUp } from "@quasar/hookfile/internal";
import { unlessDamaged } from "./failures.ts";
import { lookAround } from "./look-around.ts";
import type { Wait } from "./parts.ts";
import type { Session } from "./session.ts";

/** Milliseconds between two looks at the work tree while a task is driven. */
export const LOOK_EVERY = 30_000;

/** Milliseconds from a note until what was noted is searched for: one command of git's leaves several. */
const NOTES_END_MS = 500;

/** Looks at the work tree again and again while a task is driven; never twice at once. */
export interface Watch {
  /**
   * Looks now. Resolves to what it has seen; `undefined` where git could not be asked.
   *
   * @throws what a look in between has failed with, but for git's errors: they are told
   */
  look(): Promise<RepositoryFacts | undefined>;
  /** What the last look has seen, for what comes right after it: once. */
  take(): RepositoryFacts | undefined;
  /** Resolves when no look is under way any more. */
  stop(): Promise<void>;
}

export function startWatch(session: Session): Watch {
  const ended = new AbortController();
  const known = new Map<string, StepCheckpoint>();
  let isRead = false;
  /** All of them are read once; from then on new ones are among the newest. */
  const checkpoints = (): readonly StepCheckpoint[] => {
    const all = () => [...session.store.checkpoints()];
    const older = isRead ? [] : (unlessDamaged(all, session.warn) ?? []);
    isRead = true;
    for (const checkpoint of [...older, ...session.hook().checkpoints]) {
      known.set(checkpoint.checkpointId, checkpoint);
    }
    return [...known.values()];
  };
  let seen: RepositoryFacts | undefined;
  const look = async (signal?: AbortSignal): Promise<void> => {
    seen = undefined;
    try {
      if (!isSetUp(session.refresh())) return;
      seen = await lookAround(session, checkpoints(), signal);
    } catch (error) {
      if (signal?.aborted === true && error === signal.reason) return;
      if (!(error instanceof GitError)) throw error;
      session.warn(`the work tree could not be read: ${error.message}`);
    }
  };

  let last = Promise.resolve();
  const inTurn = (signal?: AbortSignal): Promise<void> => {
    last = last.then(() => look(signal));
    return last;
  };
  void watch();
  let noted: NodeJS.Timeout | undefined;
  const unsubscribe = session.parts.onNote?.(session.taskDir, () => {
    noted ??= setTimeout(() => {
      noted = undefined;
      void inTurn(ended.signal).catch(() => ended.abort());
    }, NOTES_END_MS);
  });
  return {
    async look() {
      clearTimeout(noted);
      noted = undefined;
      await inTurn();
      return seen;
    },
    take() {
      const taken = seen;
      seen = undefined;
      return taken;
    },
    async stop() {
      ended.abort();
      unsubscribe?.();
      clearTimeout(noted);
      await last.catch(() => {});
    },
  };

  async function watch(): Promise<void> {
    const { signal } = ended;
    while (await isTime(session.parts.wait ?? later, signal)) {
      await inTurn(signal).catch(() => ended.abort()); // thrown by the next look, which comes after it
    }
  }
}

async function isTime(wait: Wait, signal: AbortSignal): Promise<boolean> {
  await wait(LOOK_EVERY, signal).catch(() => {});
  return !signal.aborted;
}

const later: Wait = (milliseconds, signal) => {
  return sleep(milliseconds, undefined, { signal, ref: false });
};
