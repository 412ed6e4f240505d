import type { View } from "./text.ts";
import { fit, widthOf } from "./width.ts";

/** How a column is laid out; the last one is cut where the terminal ends. */
export type Align = "left" | "right";

/**
 * Rows as a table, two spaces between columns. The texts have to be clean.
 *
 * @param head - The columns' names; `""` names none.
 */
export function tableLines(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  align: readonly Align[],
  view: View,
): string[] {
  const all = [head, ...rows];
  const widths = head.map((_, at) => Math.max(...all.map((row) => widthOf(row[at] ?? ""))));
  const line = (row: readonly string[]): string => {
    const cells = row.map((cell, at) => {
      const gap = " ".repeat(Math.max(0, (widths[at] ?? 0) - widthOf(cell)));
      if (at === row.length - 1 && align[at] === "left") return cell;
      return align[at] === "right" ? gap + cell : cell + gap;
    });
    const text = `  ${cells.join("  ")}`;
    return (view.columns === undefined ? text : fit(text, view.columns)).trimEnd();
  };
  return [view.paint("dim", line(head)), ...rows.map(line)];
}
