import { cleanLine, fit, widthOf } from "@quasar/runs/text";
import { LABEL, type View } from "../../shared/output/text.ts";

/** Of a line that goes to no terminal. */
const LONGEST = 200;

/**
 * What stands for a text of any length in one labelled line: its first line that says something, cut between words where
 * it is too long. The whole is shown by `quasar nebula show`.
 *
 * @param before - What stands before it in the line.
 */
export function headline(text: string, { columns }: Pick<View, "columns">, before = ""): string {
  const room = Math.max(20, (columns ?? LONGEST) - LABEL - widthOf(before));
  const [first = "", ...more] = text.split("\n").filter((line) => line.trim() !== "");
  const line = cleanLine(first);
  const whole = more.length === 0 ? line : `${line} …`;
  if (widthOf(whole) <= room) return whole;
  const cut = fit(line, room);
  const between = cut.replace(/ \S*…$/u, " …");
  return widthOf(between) > room / 2 ? between : cut;
}
