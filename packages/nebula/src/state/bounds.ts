/** Most findings that are kept of a refused landing. */
const MOST_FINDINGS = 100;

/** Characters of the longest finding or reason that is kept whole. */
const LONGEST = 8000;
const HEAD = 2000;

/** A text as it is kept: of one that is too long without its middle, since what failed is said at its end. */
export function boundText(text: string): string {
  if (text.length <= LONGEST) return text;
  const end = text.slice(HEAD - LONGEST).toWellFormed();
  const left = text.length - LONGEST;
  return `${text.slice(0, HEAD).toWellFormed()}\n… ${left} characters are left out …\n${end}`;
}

/** Findings as they are kept: where there are too many, the last one says how many more there were. */
export function boundFindings(findings: readonly string[]): readonly string[] {
  const first = findings.slice(0, MOST_FINDINGS).map(boundText);
  const more = findings.length - first.length;
  return more === 0 ? first : [...first, `and ${more} more`];
}
