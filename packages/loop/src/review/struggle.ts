import type { Finding } from "./finding.ts";
import type { CycleState } from "../state.ts";
import { trimSpace } from "../text.ts";

/** A loop whose score reaches this goes in circles. */
export const STRUGGLE_THRESHOLD = 0.6;

/**
 * How much a loop goes in circles, from 0 to 1: the same filter failing again and again, findings
 * that were there before, money gone without progress. 0 in the first cycle.
 *
 * @see SPEC.md, "Struggle"
 */
export function struggleScore(state: CycleState): number {
  if (state.cycle < 2) return 0;
  const filters = clamp(sameFilterInARow(state.filterHistory) / 2);
  const repeated = clamp(repeatedShare(state) / 0.6);
  const burn = clamp(burnRate(state) / 0.3);
  return 0.35 * filters + 0.4 * repeated + 0.25 * burn;
}

function sameFilterInARow(history: readonly string[]): number {
  const last = history.at(-1) ?? "";
  if (last === "") return 0;
  const other = history.findLastIndex((name) => name !== last);
  return history.length - 1 - other;
}

/** Share of this cycle's findings that resemble one of an earlier cycle. */
function repeatedShare({ cycle, findings, allFindings }: CycleState): number {
  if (findings.length === 0) return 0;
  const earlier = allFindings.filter((finding) => finding.cycle < cycle).map(wordsOf);
  const repeated = findings.filter((finding) => {
    const words = wordsOf(finding);
    return earlier.some((other) => jaccard(words, other) >= 0.8);
  });
  return repeated.length / findings.length;
}

function burnRate({ totalCostUsd, cycle, maxBudgetUsd, maxCycles }: CycleState): number {
  return maxBudgetUsd === 0 ? 0 : totalCostUsd / cycle / (maxBudgetUsd / maxCycles);
}

function wordsOf({ description }: Finding): ReadonlySet<string> {
  return new Set(trimSpace(description).toLowerCase().split(/\s+/u));
}

function jaccard(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const shared = [...a].filter((word) => b.has(word)).length;
  return shared / (a.size + b.size - shared);
}

function clamp(value: number): number {
  return Math.min(1, Math.max(0, value));
}
