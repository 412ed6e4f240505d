import type { ChangeCount, FileChange } from "@quasar/git";
import { cleanLine, count, fit, widthOf } from "@quasar/runs/text";

/** How much is changed: `3 files, +10 -2`. */
export function changesText({ files, added, removed }: ChangeCount): string {
  return `${count(files, "file")}, +${added} -${removed}`;
}

const MOST_FILES = 10;

/** Each file and its lines, `src/a.ts  +10 -2`; where it is one, in one line with the sum; of many the first ones. */
export function fileLines(files: readonly FileChange[]): readonly string[] {
  const shown = files.slice(0, MOST_FILES);
  const width = Math.max(...shown.map(({ path }) => widthOf(nameOf(path))));
  const lines = shown.map((file) => lineOf(file, width));
  if (files.length <= 1) return lines;
  const total = { files: files.length, added: sum(files, "added"), removed: sum(files, "removed") };
  const left = files.length - shown.length;
  const more = left === 0 ? [] : [`and ${count(left, "more file")}: quasar diff --stat`];
  return [changesText(total), ...lines, ...more];
}

function sum(files: readonly FileChange[], lines: "added" | "removed"): number {
  return files.reduce((total, file) => total + (file[lines] ?? 0), 0);
}

function nameOf(path: string): string {
  return fit(cleanLine(path), 50);
}

function lineOf({ path, added, removed }: FileChange, width: number): string {
  const lines = added === undefined ? "binary" : `+${added} -${removed ?? 0}`;
  const name = nameOf(path);
  return `${name}${" ".repeat(width - widthOf(name))}  ${lines}`;
}
