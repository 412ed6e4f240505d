import type { Checkpoint } from "@quasar/checkpoint";
import { periodMs } from "../../shared/config/kinds.ts";
import type { Settings } from "../../shared/config/settings.ts";
import { CliError } from "../../shared/errors.ts";
import { limitWords, pauseFor, restOf } from "../limit.ts";
import { storedSettings } from "../../shared/runs/store.ts";

/** When the usage limit is lifted that stopped a run, if that is still to come. */
export function limitOf(checkpoint: Checkpoint, settings: Settings): string | undefined {
  const { retryAt, turn } = checkpoint;
  const role = turn?.role ?? "coder";
  // Another agent has limits of its own.
  const isOther = settings[role] !== (storedSettings(checkpoint)[role] ?? settings[role]);
  return isOther || restOf(retryAt, Date.now()) === 0 ? undefined : retryAt;
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

/** Whether a usage limit is waited for. */
export function patienceOf(retryAt: string, { waitLimit }: Settings): WaitPlan {
  const now = Date.now();
  const limitMs = periodMs(waitLimit) ?? 0;
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
 * @throws {CliError} `ERR_LIMIT`
 */
export function requirePatience(runId: string, retryAt: string, settings: Settings): void {
  const { isEnough, words, next } = patienceOf(retryAt, settings);
  if (isEnough) return;
  throw new CliError("ERR_LIMIT", `run ${runId} was stopped by ${words}`, { next: next(runId) });
}
