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
  /** When it is lifted, and whether it is waited for: for a person. */
  readonly words: string;
}

/**
 * Whether a usage limit is waited for.
 *
 * @param limitMs - How long it may be, in milliseconds.
 */
export function patienceOf(retryAt: string, limitMs: number): WaitPlan {
  const now = Date.now();
  const pause = pauseFor(retryAt, { limitMs, waitedMs: 0, tries: 0 }, now);
  const isEnough = !("refused" in pause);
  return {
    isEnough,
    words: isEnough ? `${limitWords(retryAt, now)}: it is waited for` : pause.refused,
  };
}

/**
 * What can be typed where a usage limit is not waited for.
 *
 * @param retryAt - RFC 3339: when it is lifted; `undefined` where nobody said so.
 * @param resume - The command that continues the run.
 */
export function limitAdvice(retryAt: string | undefined, resume: string): readonly string[] {
  const hours = Math.ceil(restOf(retryAt, Date.now()) / 3_600_000);
  if (hours === 0) return [resume, `${resume} --wait-limit 6h   (asks again at growing intervals)`];
  return [
    `${resume}   (then)`,
    `${resume} --wait-limit ${hours}h   (waits until then)`,
    `${resume} --now   (asks the agent all the same)`,
  ];
}

/**
 * Refuses to ask an agent in vain, unless it may be waited for.
 *
 * @param limitMs - How long it may be waited for, in milliseconds.
 * @throws {RunsError} `ERR_LIMIT`
 */
export function assertWaitAllowed(runId: string, retryAt: string, limitMs: number): void {
  const { isEnough, words } = patienceOf(retryAt, limitMs);
  if (isEnough) return;
  const next = limitAdvice(retryAt, `quasar resume ${runId}`);
  throw new RunsError("ERR_LIMIT", `run ${runId} was stopped by a usage limit, ${words}`, { next });
}
