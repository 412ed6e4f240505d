import type { Checkpoint } from "@quasar/checkpoint";
import { periodMs } from "../config/kinds.ts";
import type { Settings } from "../config/settings.ts";
import { CliError } from "../errors.ts";
import { pauseFor, restOf } from "../limit.ts";
import { storedSettings } from "../runs/store.ts";

/** When the usage limit is lifted that stopped a run, if that is still to come. */
export function limitOf(checkpoint: Checkpoint, settings: Settings): string | undefined {
  const { retryAt, turn } = checkpoint;
  const role = turn?.role ?? "coder";
  // Another agent has limits of its own.
  const isOther = settings[role] !== (storedSettings(checkpoint)[role] ?? settings[role]);
  return isOther || restOf(retryAt, Date.now()) === 0 ? undefined : retryAt;
}

/**
 * Refuses to ask an agent in vain, unless it may be waited for.
 *
 * @throws {CliError} `ERR_LIMIT`
 */
export function requirePatience(runId: string, retryAt: string, settings: Settings): void {
  const limitMs = periodMs(settings.waitLimit) ?? 0;
  const pause = pauseFor(retryAt, { limitMs, waitedMs: 0, tries: 0 }, Date.now());
  if (!("refused" in pause)) return;
  const hours = Math.ceil(restOf(retryAt, Date.now()) / 3_600_000);
  throw new CliError("ERR_LIMIT", `run ${runId} was stopped by a usage limit, ${pause.refused}`, {
    next: [
      `quasar resume ${runId}   (then)`,
      `quasar resume ${runId} --wait-limit ${hours}h   (waits until then)`,
      `quasar resume ${runId} --now   (asks the agent all the same)`,
    ],
  });
}
