import { cleanLine, fit, widthOf } from "@quasar/runs/text";
import { tellingLine } from "./telling-line.ts";
import { LABEL, type View } from "../../shared/output/text.ts";

/** Of a line that goes to no terminal. */
const LONGEST = 200;

/** What is needed often stands at the end. */
const MOST_LINES = 2;

/** How a command has ended, before what it has printed. */
const ENDED = /^[^\n]*\bexit \d+(?:: Quasar ended it [^\n:]*)?: /u;

/**
 * What stands for a text of any length behind a label: its first line that says something, or how a command has ended with
 * the most telling line of its output, cut between words where two lines of the screen are too short for it. The whole is shown by `quasar nebula show`.
 *
 * @param before - What stands before it.
 */
export function headline(text: string, { columns }: Pick<View, "columns">, before = ""): string {
  const most = columns === undefined ? LONGEST - LABEL : MOST_LINES * (columns - LABEL);
  const room = Math.max(20, most - widthOf(before));
  const [first = "", ...more] = text.split("\n").filter((line) => line.trim() !== "");
  const [ended = ""] = ENDED.exec(text) ?? [];
  const line = cleanLine(
    ended === "" ? first : `${ended}${tellingLine(text.slice(ended.length)).trim()}`,
  );
  const whole = more.length === 0 ? line : `${line} …`;
  if (widthOf(whole) <= room) return whole;
  const cut = fit(line, room);
  const between = cut.replace(/ \S*…$/u, " …");
  return widthOf(between) > room / 2 ? between : cut;
}
