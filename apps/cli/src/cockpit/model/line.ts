import { clean, fit, widthOf } from "@quasar/runs/text";
import type { Style } from "../../shared/output/text.ts";

/** A piece of a line: its text is safe for a terminal, and has no line feed. */
export interface Span {
  readonly text: string;
  readonly style?: Style | undefined;
}

export type Line = readonly Span[];

/** The only way text gets onto the screen: whatever a terminal may act on is made visible. */
export function span(text: string, style?: Style): Span {
  return { text: clean(text.replaceAll(/[\t\n\r]+/gu, " ")), style };
}

/** A line of one piece. */
export function line(text: string, style?: Style): Line {
  return [span(text, style)];
}

export function lineWidth(spans: Line): number {
  return spans.reduce((sum, { text }) => sum + widthOf(text), 0);
}

/** The line in exactly so many columns: what is longer ends in `…`, what is shorter in spaces. */
export function inColumns(spans: Line, columns: number): Line {
  const kept: Span[] = [];
  let room = columns;
  for (const { text, style } of spans) {
    if (room === 0) break;
    const part = fit(text, room);
    kept.push({ text: part, style });
    room -= widthOf(part);
    if (part !== text) break;
  }
  return room > 0 ? [...kept, { text: " ".repeat(room) }] : kept;
}

/** Two lines in one: the right one ends at the last column, the left one gives way. */
export function spread(left: Line, right: Line, columns: number): Line {
  const width = Math.min(lineWidth(right), columns);
  return [...inColumns(left, columns - width), ...inColumns(right, width)];
}

/** A text in exactly so many columns. */
export function cell(text: string, columns: number, style?: Style): Span {
  const [first = span(""), ...rest] = inColumns([span(text, style)], columns);
  return { text: [first, ...rest].map((part) => part.text).join(""), style };
}

/** The same, ending at the last column. */
export function cellRight(text: string, columns: number, style?: Style): Span {
  const { text: kept } = cell(text, columns);
  const words = kept.trimEnd();
  return { text: " ".repeat(columns - widthOf(words)) + words, style };
}
