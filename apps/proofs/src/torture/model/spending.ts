import type { Books } from "../books.ts";
import type { ModelRequest } from "./server.ts";

/** What was known at a kill. */
export interface Moment {
  readonly everything: boolean;
  /** How many requests there had been. */
  readonly requests: number;
  /** Ids of turns whose end was on disk. */
  readonly finished: ReadonlySet<string>;
}

/**
 * Requests that were made again without need: only a turn that had not ended when everything was
 * killed may be asked again.
 */
function paidTwice(asked: readonly ModelRequest[], moments: readonly Moment[]): readonly string[] {
  return asked.flatMap(({ key }, at) => {
    const before = asked.findLastIndex((other, i) => i < at && other.key === key);
    const { turnId = "" } = asked[before] ?? {};
    const wasLost = moments.some(
      ({ everything, requests, finished }) =>
        everything && before < requests && requests <= at && !finished.has(turnId),
    );
    return before === -1 || wasLost ? [] : [key];
  });
}

/** How often each is there. */
function countsOf(keys: readonly string[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const key of keys.toSorted()) counts[key] = (counts[key] ?? 0) + 1;
  return counts;
}

/** Sums of decimal fractions differ by less than this. */
export function rounded(usd: number): number {
  return Math.round(usd * 1e9) / 1e9;
}

/** What is compared of the requests to the model, and of what was booked for them. */
export interface Spending {
  /** How often the model was asked, by what for. */
  readonly requests: Readonly<Record<string, number>>;
  /** Requests that were made again although the turn had ended, or its agent was alive. */
  readonly paidTwice: readonly string[];
  readonly billedUsd: number;
  readonly ledgerUsd: number;
  readonly unknownUsd: number;
}

export function spendingOf(
  asked: readonly ModelRequest[],
  moments: readonly Moment[],
  { totalUsd, unknownUsd }: Books,
): Spending {
  return {
    requests: countsOf(asked.map(({ key }) => key)),
    paidTwice: paidTwice(asked, moments),
    billedUsd: rounded(asked.reduce((sum, { costUsd }) => sum + costUsd, 0)),
    ledgerUsd: rounded(totalUsd),
    unknownUsd: rounded(unknownUsd),
  };
}

/** What of the work was never asked for. */
export function skippedOf(now: Spending, whole: Spending): readonly string[] {
  return Object.keys(whole.requests).filter((key) => now.requests[key] === undefined);
}
