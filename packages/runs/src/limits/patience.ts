import type { Checkpoint } from "@quasar/checkpoint";
import { RunsError } from "../errors.ts";
import { limitWords, pauseFor, restOf } from "./pause.ts";

/** When the usage limit is lifted that stopped a run, if that is still to come. */
export function limitOf({ retryAt }: Pick<Checkpoint, "retryAt">): string | undefined {
  return restOf(retryAt, Date.now()) === 0 ? undefined : retryAt;
}

/** The run without the pause before a retry that is due: the person who asks for it does not wait. */
export function withoutPause(checkpoint: Checkpoint): Checkpoint {
  const { turn } = checkpoint;
  return turn === undefined ? checkpoint : { ...checkpoint, turn: { ...turn, retryAt: "" } };
}

export interface WaitPlan {
  /** Whether the run may wait so long. */
  readonly isEnough: boolean;
  /** For a person. */
  readonly words: string;
  /** What can be typed where it may not. */
  next(runId: string): readonly string[];
}

/**
 * Whether a usage limit is waited for.
 *
 * @param limitMs - How long it may be, in milliseconds.
 */
export function patienceOf(retryAt: string, limitMs: number): WaitPlan {
  const now = Date.now();
  const pause = pauseFor(retryAt, { limitMs, waitedMs: 0, tries: 0 }, now);
  const hours = Math.ceil(restOf(retryAt, now) / 3_600_000);
  const why = "refused" in pause ? pause.refused : `${limitWords(retryAt, now)}: it is waited for`;
  return {
    isEnough: !("refused" in pause),
    words: `a usage limit, ${why}`,
    next: (runId) => [
      `quasar resume ${runId}   (then)`,
      `quasar resume ${runId} --wait-limit ${hours}h   (waits until then)`,
      `quasar resume ${runId} --now   (asks the agent all the same)`,
    ],
  };
}

/**
 * Refuses to ask an agent in vain, unless it may be waited for.
 *
 * @param limitMs - How long it may be waited for, in milliseconds.
 * @throws {RunsError} `ERR_LIMIT`
 */
export function requirePatience(runId: string, retryAt: string, limitMs: number): void {
  const { isEnough, words, next } = patienceOf(retryAt, limitMs);
  if (isEnough) return;
  throw new RunsError("ERR_LIMIT", `run ${runId} was stopped by ${words}`, { next: next(runId) });
}
