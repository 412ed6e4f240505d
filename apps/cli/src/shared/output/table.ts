import { clean, fit, widthOf, wrap } from "@quasar/runs/text";
import type { View } from "./text.ts";

export type Align = "left" | "right";

/** A last cell that does not fit is wrapped in its column, if that is no narrower than this share of the screen. */
const NARROWEST = 3 / 8;

/** Of a last cell that stands below the others. */
const INDENT = 6;

/**
 * Rows as a table, two spaces between columns, their texts made clean. A column in which nothing
 * is said is left out; a last cell of several lines, or one that does not fit, continues under its own
 * beginning. Where there is no room for it beside the others, it stands below them.
 *
 * @param head - The columns' names; `""` names none.
 */
export function tableLines(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  align: readonly Align[],
  view: View,
): string[] {
  const used = head.map((_, at) => at).filter((at) => rows.some((row) => (row[at] ?? "") !== ""));
  const all = [head, ...rows].map((row) => used.map((at) => clean(row[at] ?? "")));
  const widths = used.map((_, at) => Math.max(...all.map((row) => widthOf(row[at] ?? ""))));
  const before = widths.slice(0, -1).reduce((sum, width) => sum + width + 2, 2);
  const room = view.columns === undefined ? undefined : view.columns - before;
  const isRight = align[used.at(-1) ?? 0] === "right";
  const narrowest = Math.max(12, Math.floor((view.columns ?? 0) * NARROWEST));
  const isBelow = !isRight && room !== undefined && room < narrowest && (widths.at(-1) ?? 0) > room;
  const linesOf = (row: readonly string[]): string[] => {
    const cells = row.slice(0, -1).map((cell, at) => {
      const gap = " ".repeat((widths[at] ?? 0) - widthOf(cell));
      return `${align[used[at] ?? 0] === "right" ? gap + cell : cell + gap}  `;
    });
    const last = row.at(-1) ?? "";
    if (isBelow) {
      const below = row === all[0] ? [] : wrap(last, Math.max(narrowest, room + before - INDENT));
      const lines = [`  ${cells.join("")}`, ...below.map((part) => " ".repeat(INDENT) + part)];
      return lines.map((line) => fit(line.trimEnd(), room + before));
    }
    const text = isRight ? " ".repeat((widths.at(-1) ?? 0) - widthOf(last)) + last : last;
    const isWrapped = !isRight && room !== undefined;
    const parts = isWrapped ? wrap(text, room) : text.split("\n");
    return parts.map((part, n) => {
      const line = (n === 0 ? `  ${cells.join("")}` : " ".repeat(before)) + part;
      return (view.columns === undefined ? line : fit(line, view.columns)).trimEnd();
    });
  };
  const [names = [], ...bodies] = all;
  return [...linesOf(names).map((line) => view.paint("dim", line)), ...bodies.flatMap(linesOf)];
}
