import type { GitFacts } from "../checkpoints/checkpoints.ts";
import { readGitFacts } from "../checkpoints/git-facts.ts";
import type { HookFile } from "../store/hook-file.ts";
import { repeat, type RepeatOptions, type Repetition } from "../store/repeat.ts";
import { saveCheckpoint } from "../checkpoints/save-checkpoint.ts";
import type { HookFileStore } from "../store/store.ts";

export interface IntervalCheckpointsOptions
  extends Pick<RepeatOptions, "onError" | "signal" | "wait"> {
  readonly store: HookFileStore;
  /** Milliseconds, of `AutoCheckpointConfig`; 0: none are made. */
  readonly interval: number;
  /** Where a work tree stands. @default asks git */
  readonly git?:
    | ((worktree: string, options: { signal: AbortSignal }) => Promise<GitFacts>)
    | undefined;
  /** @default the system's clock */
  readonly now?: (() => Date) | undefined;
}

/**
 * Makes a checkpoint each time that the interval is over and a step runs, until it is stopped. One
 * that fails is told to `onError`; the next one is tried all the same.
 *
 * @throws {HookFileError} `ERR_INVALID_DURATION`
 */
export function startIntervalCheckpoints(options: IntervalCheckpointsOptions): Repetition {
  const { store, interval, git = readGitFacts, now = () => new Date(), ...rest } = options;
  const act = async (signal: AbortSignal): Promise<void> => {
    const hook = store.read();
    if (hook === undefined || !runs(hook)) return;
    const facts = await git(hook.worktreePath, { signal });
    signal.throwIfAborted();
    const at = now();
    const description = `Periodic checkpoint at ${at.toISOString().slice(11, 19)}`;
    saveCheckpoint(store, { trigger: "interval", description, git: facts, now: at, when: runs });
  };
  return repeat({ every: interval, act, ...rest });
}

function runs({ state }: HookFile): boolean {
  return state === "step_running";
}
