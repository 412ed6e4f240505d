import type { Checkpoint } from "@quasar/checkpoint";
import { RunsError } from "../errors.ts";
import type { NextOptions, NextStep } from "../next-step.ts";
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

const HOUR_MS = 3_600_000;

/**
 * What helps where a usage limit is not waited for.
 *
 * @param retryAt - RFC 3339: when it is lifted; `undefined` where nobody said so.
 * @param resume - What continues the run.
 */
export function limitSteps(retryAt: string | undefined, resume: NextStep): readonly NextStep[] {
  const hours = Math.ceil(restOf(retryAt, Date.now()) / HOUR_MS);
  const resumeWith = (more: NextOptions, note: string): NextStep => {
    return { ...resume, options: { ...resume.options, ...more }, note };
  };
  if (hours === 0) {
    return [resume, resumeWith({ waitLimitMs: 6 * HOUR_MS }, "asks again at growing intervals")];
  }
  return [
    { ...resume, note: "then" },
    resumeWith({ waitLimitMs: hours * HOUR_MS }, "waits until then"),
    resumeWith({ now: true }, "asks the agent all the same"),
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
  const next = limitSteps(retryAt, { do: "resume", runId });
  throw new RunsError("ERR_LIMIT", `run ${runId} was stopped by a usage limit, ${words}`, { next });
}
