import { cleanLine, fit, widthOf } from "@quasar/runs/text";
import { LABEL, type View } from "../../shared/output/text.ts";

/** Of a line that goes to no terminal. */
const LONGEST = 200;

/** What is needed often stands at the end. */
const MOST_LINES = 2;

/**
 * What stands for a text of any length behind a label: its first line that says something, cut between words where two
 * lines of the screen are too short for it. The whole is shown by `quasar nebula show`.
 *
 * @param before - What stands before it.
 */
export function headline(text: string, { columns }: Pick<View, "columns">, before = ""): string {
  const most = columns === undefined ? LONGEST - LABEL : MOST_LINES * (columns - LABEL);
  const room = Math.max(20, most - widthOf(before));
  const [first = "", ...more] = text.split("\n").filter((line) => line.trim() !== "");
  const line = cleanLine(first);
  const whole = more.length === 0 ? line : `${line} …`;
  if (widthOf(whole) <= room) return whole;
  const cut = fit(line, room);
  const between = cut.replace(/ \S*…$/u, " …");
  return widthOf(between) > room / 2 ? between : cut;
}
