import { cleanLine } from "./clean.ts";

/**
 * `; did you mean "…"?`, when a known name is at most two edits away, or one of a short name.
 *
 * @param shown - How the known name is shown. @default as it is
 */
export function suggestion(
  name: string,
  known: readonly string[],
  shown: (known: string) => string = (each) => each,
): string {
  const near = known
    .map((candidate) => ({ candidate, edits: distance(name.slice(0, 60), candidate) }))
    .filter(({ candidate, edits }) => edits <= mostEdits(Math.max(name.length, candidate.length)))
    .toSorted((a, b) => a.edits - b.edits)[0];
  return near === undefined ? "" : `; did you mean "${cleanLine(shown(near.candidate))}"?`;
}

/** Names of a letter have nothing in common. */
function mostEdits(length: number): number {
  return Math.min(2, Math.floor((length + 1) / 3));
}

/** An edit adds, removes or replaces a letter, or swaps two neighbours. */
function distance(a: string, b: string): number {
  let before: readonly number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const change = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swap = isSwap ? (before[j - 2] ?? 0) + 1 : change;
      next.push(Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, change, swap));
    }
    [before, row] = [row, next];
  }
  return row[b.length] ?? 0;
}
