import { clean, cleanLine } from "../text/clean.ts";
import { cutText } from "../text/cut.ts";
import { fit, wrap } from "../text/width.ts";

// Text of others in Markdown. It stands in code only: there GitHub calls nobody, links nothing, closes no issue and loads
// no picture, whatever is in it.

/** Characters of a text that are read for each column: those without a width are few. */
const MOST_OF_COLUMN = 10;

/** One line of another's text; `""` where it says nothing. */
export function code(text: string, columns: number): string {
  const line = fit(cleanLine(text.slice(0, columns * MOST_OF_COLUMN)), columns);
  if (line === "") return "";
  const runs = line.match(/`+/gu) ?? [];
  const tick = "`".repeat(shortestOther(runs.map(({ length }) => length)));
  // A space at each end is no part of it, and keeps its own backticks from the frame.
  const room = /^`|`$|^ .* $/u.test(line) ? " " : "";
  return tick + room + line + room + tick;
}

/** The smallest length that none of these has. */
function shortestOther(lengths: readonly number[]): number {
  let length = 1;
  while (lengths.includes(length)) length += 1;
  return length;
}

/** A short plain word as it is, anything else as {@link code}. */
export function word(text: string): string {
  return /^[A-Za-z]{1,16}$/u.test(text) ? text : code(text, 40);
}

const COLUMNS = 100;

/** Another's text with its lines, in a fence that is longer than any within; long lines are broken between words. */
export function fence(text: string, most: number): string {
  const shown = cutText(clean(text.slice(0, most * 2)).trim(), most);
  const lines = shown.split("\n").flatMap((line) => wrap(line, COLUMNS));
  const frame = fenceFor(shown);
  return [`${frame}text`, ...lines.map((line) => line.trimEnd()), frame].join("\n");
}

/** More backticks than stand in a row anywhere in a text, and three at least. */
export function fenceFor(text: string): string {
  const runs = text.match(/`{3,}/gu) ?? [];
  return "`".repeat(1 + Math.max(2, ...runs.map(({ length }) => length)));
}

/** A table. Cells are Markdown; a bar in one ends no cell. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.map(cell).join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}

/** Not every reader takes a backslash before `\|` in the same way. */
function cell(markdown: string): string {
  return markdown.replaceAll(/(\\*)\|/gu, (_, slashes: string) =>
    slashes === "" ? "\\|" : `${slashes} \\|`,
  );
}
