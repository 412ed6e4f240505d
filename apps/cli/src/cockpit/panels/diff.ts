import { count } from "@quasar/runs/text";
import { cell, cellRight, type Line, line } from "../model/line.ts";
import type { Change } from "../model/shown.ts";
import { type Body, bodyOf } from "./body.ts";

/** Which files a change has, then the patch. */
export function diffBody(change: Change | undefined): Body {
  if (change === undefined) return bodyOf([line("no change yet")]);
  const files = fileLines(change);
  return {
    count: files.length + 1 + change.lines.length,
    lineAt(index) {
      const at = index - files.length - 1;
      if (at < 0) return files[index] ?? [];
      const of = change.lines[at];
      return of === undefined ? [] : line(of.text, of.style);
    },
  };
}

/** The sum of a change: `2 files, +84 -12`. */
export function changeWords({ files }: Change): string {
  const sum = (of: "added" | "removed"): number =>
    files.reduce((total, file) => total + (file[of] ?? 0), 0);
  return `${count(files.length, "file")}, +${sum("added")} -${sum("removed")}`;
}

/** A line for each file of a change. */
export function fileLines({ files }: Change): readonly Line[] {
  return files.map(({ path, added, removed }) =>
    added === undefined
      ? [cellRight("binary", 13, "dim"), ...line(`  ${path}`)]
      : [
          cellRight(`+${added}`, 7, "green"),
          cellRight(`-${removed ?? 0}`, 6, "red"),
          cell("", 2),
          ...line(path),
        ],
  );
}
