// Control characters move a terminal's cursor or end a line; the bidirectional ones, marks included,
// reorder what is read. Neither belongs into one line of text that somebody else wrote.
const UNSAFE = /[\p{Cc}\p{Bidi_Control}\u2028\u2029]+/gu;

const LINE_BREAK = /\r\n|[\n\v\f\r\u0085\u2028\u2029]/u;

/** Makes hostile text one safe line: controls and runs of white space become one space. */
export function oneLine(text: string): string {
  return text.toWellFormed().replace(UNSAFE, " ").replace(/\s+/g, " ").trim();
}

/** Lines of hostile text, each safe to print: indentation stays, empty lines around them go. */
export function cleanLines(text: string): string {
  const lines = text.toWellFormed().split(LINE_BREAK);
  return lines
    .map((line) => line.replace(UNSAFE, " ").trimEnd())
    .join("\n")
    .replace(/^\n+|\n+$/g, "");
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
/** More than is ever told. */
const READ_LENGTH = 20 * TAIL_LENGTH;

/**
 * The end of a program's output, fit for an error message: at most 12 lines, 2,000 characters. Lines are
 * left out whole, so that no secret is cut in two before somebody takes it out; one that is too long by
 * itself is not told.
 */
export function tail(output: string): string {
  const end = output.slice(-READ_LENGTH);
  const [first = "", ...rest] = end.split(/[\r\n]+/);
  const isCut = end.length < output.length;
  const lines = [isCut ? TOO_LONG : first, ...rest]
    .map((line) => (line.length > TAIL_LENGTH ? TOO_LONG : oneLine(line)))
    .filter((line) => line !== "")
    .slice(-TAIL_LINES);
  while (lines.join("\n").length > TAIL_LENGTH) lines.shift();
  return lines.join("\n");
}

const TOO_LONG = "(a line too long to show)";

/** A path as it may stand in a message. */
export function quoted(path: string): string {
  return JSON.stringify(path);
}
