import { onGitWork } from "@quasar/git";

/** As `onGitWork` tells of it. */
export interface Work {
  readonly what: string;
}

/** Milliseconds without a line after which it is said what takes so long. */
const SILENCE_MS = 2_000;
/** What has only just begun is not what takes so long. */
const QUICK_MS = 500;

/** What a piece of work is called; the rest is git's, by the name of its command. */
const WORDS: Readonly<Record<string, string>> = {
  "make work tree": "git is checking out the work tree",
  "read files": "reading the files in the work tree",
  status: "git is looking for changes in the work tree",
  "ls-files": "git is looking for changes in the work tree",
  "update-index": "git is looking for changes in the work tree",
  add: "git is adding changes",
  commit: "git is committing (its hooks run too)",
  "fast-import": "git is saving a snapshot",
  push: "git is pushing",
  fetch: "git is fetching",
  "ls-remote": "git is asking the remote",
};

function wordsOf({ what }: Work): string {
  return WORDS[what] ?? `git ${what} is running`;
}

/** Says what git does where that takes long and no other line comes. */
export interface Heartbeat {
  /**
   * Something has happened.
   *
   * @param isSaid - Whether it stands on the screen.
   * @param isNowAwaited - Whether what stands there says what is waited for: an agent, a command.
   */
  beat(isSaid: boolean, isNowAwaited: boolean): void;
  stop(): void;
}

/**
 * Watches the work of git. Says each thing once until something else is said.
 *
 * @param say - Given words for a person.
 * @param listen - @default to git in this process
 */
export function startHeartbeat(say: (text: string) => void, listen = onGitWork): Heartbeat {
  const said = new Set<string>();
  const running = new Map<Work, number>();
  let quietSince = Date.now();
  let isAwaited = false;
  let timer: NodeJS.Timeout | undefined;

  /** What was begun first is what all others are a part of. */
  const wait = (): void => {
    clearTimeout(timer);
    const [[work, begunAt] = []] = running;
    if (work === undefined || begunAt === undefined) return;
    const text = wordsOf(work);
    if (said.has(text)) return;
    // Beside an agent git is asked again and again: only what takes long by itself is said then.
    const at = Math.max(quietSince + SILENCE_MS, begunAt + (isAwaited ? SILENCE_MS : QUICK_MS));
    timer = setTimeout(
      () => {
        said.add(text);
        quietSince = Date.now();
        say(text);
      },
      Math.max(0, at - Date.now()),
    );
    timer.unref();
  };
  const unsubscribe = listen({
    begun(work) {
      running.set(work, Date.now());
      wait();
    },
    ended(work) {
      running.delete(work);
      wait();
    },
  });
  return {
    beat(isSaid, isNowAwaited) {
      if (isSaid) {
        quietSince = Date.now();
        said.clear();
      }
      isAwaited = isNowAwaited;
      wait();
    },
    stop() {
      unsubscribe();
      clearTimeout(timer);
    },
  };
}
