import type { Finding } from "@quasar/loop";

/** How many findings a screen lists at most. */
export const MOST_FINDINGS = 20;

/** Reviewers are asked for these; another word counts as the one in the middle. */
const RANKS: Readonly<Record<string, number>> = { critical: 0, major: 1, minor: 2 };

/** The most severe findings of a list, of equal ones those of the newest cycle, in the order of the list. */
export function worstFindings(findings: readonly Finding[]): readonly Finding[] {
  if (findings.length <= MOST_FINDINGS) return findings;
  const ranked = findings.map((finding, at) => ({ finding, at, rank: rankOf(finding) }));
  const newestFirst = ranked.toSorted((a, b) => b.finding.cycle - a.finding.cycle);
  const worst = newestFirst.toSorted((a, b) => a.rank - b.rank).slice(0, MOST_FINDINGS);
  return worst.toSorted((a, b) => a.at - b.at).map(({ finding }) => finding);
}

function rankOf({ severity }: Finding): number {
  return RANKS[severity.trim().toLowerCase()] ?? 1;
}
