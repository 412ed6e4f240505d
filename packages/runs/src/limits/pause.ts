import { momentAfter, span } from "../text/format.ts";

/** How long a run may wait at usage limits before a turn of it succeeds again. Milliseconds. */
export interface Patience {
  /** 0: not at all. */
  readonly limitMs: number;
  readonly waitedMs: number;
  /** Waits so far that brought nothing. */
  readonly tries: number;
}

export type Pause =
  /** Milliseconds since 1970. */
  | { readonly until: number }
  /** Why it is not waited for, in words for a person. */
  | { readonly refused: string };

/** Pauses where nobody says when a limit is lifted; the last one is repeated. */
const PAUSES_MS = [1, 2, 4, 8, 16, 30].map((minutes) => minutes * 60_000);

/**
 * Until when to wait at a usage limit.
 *
 * @param retryAt - RFC 3339: when it is lifted; `undefined` where nobody said so.
 * @param now - Milliseconds since 1970.
 */
export function pauseFor(retryAt: string | undefined, patience: Patience, now: number): Pause {
  const { limitMs, waitedMs, tries } = patience;
  const restMs = restOf(retryAt, now);
  if (limitMs === 0) return { refused: limitWords(retryAt, now) };
  // A limit that holds on after its own time is not asked at once again.
  const leastMs = restMs > 0 && tries === 0 ? 0 : pauseAt(tries);
  const pauseMs = Math.max(restMs, leastMs);
  if (waitedMs + pauseMs <= limitMs) return { until: now + pauseMs };
  const waited = waitedMs === 0 ? "" : `, of which ${span(waitedMs)} are over`;
  const most = `it is waited for at most ${span(limitMs)}${waited}`;
  return { refused: `${limitWords(retryAt, now)}; ${most}` };
}

function pauseAt(tries: number): number {
  return PAUSES_MS[Math.min(tries, PAUSES_MS.length - 1)] ?? 0;
}

/** Milliseconds until a limit is lifted; 0 where that is past or unknown. */
export function restOf(retryAt: string | undefined, now: number): number {
  const at = retryAt === undefined ? Number.NaN : Date.parse(retryAt);
  return Number.isNaN(at) ? 0 : Math.max(0, at - now);
}

/** When a limit is lifted, in words. */
export function limitWords(retryAt: string | undefined, now: number): string {
  const rest = restOf(retryAt, now);
  if (retryAt === undefined || rest === 0) return "it is unknown when the limit is lifted";
  return `lifted at ${momentAfter(retryAt)} (in ${span(rest)})`;
}
