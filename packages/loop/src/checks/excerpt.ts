import { cutText } from "@quasar/checkpoint";

/** Stands for lines that are left out. */
const GAP = "…";

/** Code points that a line of an excerpt has at least room for. */
const LONG_LINE = 500;

/** How much a line says of a failure: what matches first. Least say what has passed, and frames of a runtime or of a dependency. */
const WEIGHTS: readonly (readonly [RegExp, number])[] = [
  [/^\s*(?:at .*(?:node:|node_modules)|✔|✓|√|ok\b|PASS\b|npm notice|…$)/u, -1],
  [/^\s*(?:✖|✗|✘|×|●|not ok\b)|\bFAIL(?:ED|URE)?\b/u, 3],
  [/(?:Error|Exception)\b[^:]{0,40}:|\berror\b[^:]{0,20}:|^\s*\d+:\d+\s+error\b|\bpanicked\b/u, 3],
  [/\b(?:expected|actual|received|assert\w*|got)\b|^\s*[+-] |^E\s/iu, 2],
  [/\.\w{1,5}(?::\d+|\(\d+,)/u, 2],
];

/** How many lines explain the one that names a failure. */
const EXPLAINING = 3;

/**
 * Of a check's output the lines that say most, whole where it fits; `…` stands where lines are left out.
 *
 * @param most - Code points.
 */
export function excerpt(output: string, most: number): string {
  const sizeOf = (line: string): number => Array.from(line).length + 1;
  if (sizeOf(output) <= most + 1) return output;
  return excerptLines(output, most + 1, sizeOf).join("\n");
}

/**
 * The lines of a check's output that say most: those that look like a failure, then its end and its beginning, in
 * their order, with their indentation. Of equal lines the last counts, which stands beside what explains it.
 *
 * @param most - How much is kept, the marks of what is left out included.
 * @param sizeOf - What a line takes of it.
 */
export function excerptLines(
  output: string,
  most: number,
  sizeOf: (line: string) => number,
): readonly string[] {
  const said = output.split(/\r?\n/u).filter((line) => line.trim() !== "");
  const longest = Math.max(LONG_LINE, Math.floor(most / said.length) - 2);
  const lines = said.map((line) => cutLine(line.trimEnd(), longest));
  if (lines.reduce((sum, line) => sum + sizeOf(line), 0) <= most) return lines;
  const isKept = lines.map(() => false);
  // All is one gap. A line in the middle of one makes two of it; the last one of it closes it.
  let used = sizeOf(GAP);
  for (const at of bySaying(lines)) {
    const gaps = [at - 1, at + 1].filter((beside) => isKept[beside] === false).length;
    const more = sizeOf(lines[at] ?? "") + (gaps - 1) * sizeOf(GAP);
    if (used + more > most) continue;
    isKept[at] = true;
    used += more;
  }
  return lines.flatMap((line, at) => {
    if (isKept[at] === true) return [line];
    return isKept[at - 1] === false ? [] : [GAP];
  });
}

function cutLine(line: string, longest: number): string {
  const cut = cutText(line, longest);
  return cut.length === line.length ? line : `${cut}${GAP}`;
}

/** The places of lines, first those that say most; of those that say nothing first the outermost, the last before the first. */
function bySaying(lines: readonly string[]): readonly number[] {
  const weights = weightsOf(lines);
  const ranks = lines.map((_, at) => {
    const weight = weights[at] ?? 0;
    return { at, weight, rank: weight > 0 ? at : Math.min(2 * at + 1, lines.length - 1 - at) };
  });
  return ranks.toSorted((a, b) => b.weight - a.weight || a.rank - b.rank).map(({ at }) => at);
}

function weightsOf(lines: readonly string[]): readonly number[] {
  const last = new Map(lines.map((line, at) => [line.trim(), at]));
  let explained = -1;
  return lines.map((line, at) => {
    if (last.get(line.trim()) !== at) return 0;
    const own = WEIGHTS.find(([pattern]) => pattern.test(line))?.[1] ?? 0;
    explained = own === 3 ? EXPLAINING : explained - 1;
    return own === 0 && explained >= 0 ? 1 : own;
  });
}
