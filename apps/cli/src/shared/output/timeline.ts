import { stripVTControlCharacters } from "node:util";
import { dayAndTime } from "@quasar/runs/internal";
import { write } from "./reporter.ts";
import type { View } from "./text.ts";

/** Prints what has happened, each line of an event with its time, each day under its date. */
export interface Timeline {
  /** What is left of a line beside the time. */
  readonly view: View;
  /** @param time - RFC 3339; `undefined`: it has none, and belongs to the event before. */
  tell(time: string | undefined, lines: readonly string[]): void;
}

const TIME = "00:00:00  ";

/** Of a line that has a label of its own; one that continues another is indented further. */
const BEGINS = /^ {2}[^ ]/u;

/** On standard output. */
export function createTimeline(whole: View): Timeline {
  const columns = whole.columns === undefined ? undefined : whole.columns - TIME.length;
  const view: View = { ...whole, columns, live: false };
  const indented = (line: string): string => `${" ".repeat(TIME.length)}${line}`;
  let shownDay = "";
  return {
    view,
    tell(at, lines) {
      if (lines.length === 0) return;
      if (at === undefined) return write(process.stdout, lines.map(indented));
      const { day, time } = dayAndTime(at) ?? { day: shownDay, time: "" };
      const isNewDay = day !== shownDay;
      shownDay = day;
      const timed = view.paint("dim", time.padEnd(TIME.length));
      write(process.stdout, [
        ...(isNewDay ? [view.paint("dim", day)] : []),
        ...lines.map((line, n) =>
          n === 0 || BEGINS.test(stripVTControlCharacters(line)) ? timed + line : indented(line),
        ),
      ]);
    },
  };
}
