// Control characters move a terminal's cursor or end a line; the bidirectional ones, marks included,
// reorder what is read. Neither belongs into one line of text that somebody else wrote.
const UNSAFE = /[\p{Cc}\p{Bidi_Control}\u2028\u2029]+/gu;

/** Makes hostile text one safe line: controls and runs of white space become one space. */
export function oneLine(text: string): string {
  return text.toWellFormed().replace(UNSAFE, " ").replace(/\s+/g, " ").trim();
}

/** The first `limit` code points; the last of them is an ellipsis if anything was cut. */
export function cut(text: string, limit: number): string {
  const points = Array.from(text);
  return points.length <= limit
    ? text
    : `${points
        .slice(0, limit - 1)
        .join("")
        .trimEnd()}…`;
}

const TAIL_LINES = 12;
const TAIL_LENGTH = 2_000;

/** The end of a program's output, fit for an error message: at most 12 lines, 2,000 characters. */
export function tail(output: string): string {
  const lines = output.slice(-2 * TAIL_LENGTH).split(/[\r\n]+/);
  const kept = lines.map(oneLine).filter((line) => line !== "");
  return kept.slice(-TAIL_LINES).join("\n").slice(-TAIL_LENGTH).toWellFormed();
}
