import { cleanLine, fit, widthOf } from "@quasar/runs/text";
import { tellingLine } from "./telling-line.ts";
import { LABEL, type View } from "../../shared/output/text.ts";

/** Of a line that goes to no terminal. */
const LONGEST = 200;

/** What is needed often stands at the end. */
const MOST_LINES = 2;

/** How a command has ended, or what else stands before what was printed. */
const BEFORE_OUTPUT = /^[^\n]*(?:\bexit \d+(?:: Quasar ended it [^\n:]*)?: |:\n)/u;

/** What the latter says besides: less than a line of the output tells. */
const BESIDES = /; [^\n]*(?=:\n$)/u;

/**
 * What stands for a text of any length behind a label: its first line that says something, with the most telling line of
 * the output that it announces, cut between words where two lines of the screen are too short for it. The whole is shown by `quasar nebula show`.
 *
 * @param lead - What stands before it.
 */
export function headline(text: string, { columns }: Pick<View, "columns">, lead = ""): string {
  const most = columns === undefined ? LONGEST - LABEL : MOST_LINES * (columns - LABEL);
  const room = Math.max(20, most - widthOf(lead));
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const [first = ""] = lines;
  const [before = ""] = BEFORE_OUTPUT.exec(text) ?? [];
  const telling = tellingLine(text.slice(before.length)).trim();
  const isWhole = lines.length <= (before.endsWith("\n") ? 2 : 1);
  const heads = [before, before.replace(BESIDES, "")];
  const texts = heads.map((head) =>
    cleanLine(head === "" ? first : `${head.trimEnd()} ${telling}`),
  );
  const whole = texts.map((each) => (isWhole ? each : `${each} …`));
  const fitting = whole.find((each) => widthOf(each) <= room);
  if (fitting !== undefined) return fitting;
  const cut = fit(texts.at(-1) ?? "", room);
  const between = cut.replace(/ \S*…$/u, " …");
  return widthOf(between) > room / 2 ? between : cut;
}
