import { cleanLine, wrap } from "@quasar/runs/text";
import type { Style } from "../../shared/output/text.ts";
import { type Line, line } from "../model/line.ts";

/** What a panel holds: lines that are made when they are shown, since there may be many thousands. */
export interface Body {
  readonly count: number;
  lineAt(index: number): Line;
  /** Where one looks first: at what is newest. @default its beginning */
  readonly startsAtEnd?: true | undefined;
}

export function bodyOf(lines: readonly Line[]): Body {
  return { count: lines.length, lineAt: (index) => lines[index] ?? [] };
}

/** The lines of a body that are seen. @param scroll - Lines from where one looks first. */
export function windowOf(body: Body, rows: number, scroll: number): readonly Line[] {
  const from = firstRow(body, rows, scroll);
  return Array.from({ length: rows }, (_, at) => {
    return from + at < body.count ? body.lineAt(from + at) : [];
  });
}

function firstRow({ count, startsAtEnd }: Body, rows: number, scroll: number): number {
  const last = Math.max(0, count - rows);
  return startsAtEnd === true ? Math.max(0, last - scroll) : Math.min(scroll, last);
}

/** As far as one can scroll. */
export function mostScroll({ count }: Body, rows: number): number {
  return Math.max(0, count - rows);
}

/** A text in as many lines as it needs, the later ones indented. */
export function wrapped(
  text: string,
  columns: number,
  style?: Style,
  indent = "",
): readonly Line[] {
  const parts = wrap(cleanLine(text), Math.max(1, columns - indent.length));
  return parts.map((part, at) => line(at === 0 ? part : indent + part, style));
}
