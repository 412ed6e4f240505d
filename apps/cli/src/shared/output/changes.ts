import type { FileChange } from "@quasar/git/history";
import { changesText } from "@quasar/runs/words";
import { cleanLine, count, fit, widthOf } from "@quasar/runs/text";

/** How much of a list of files is shown. */
export interface FilesShown {
  readonly files: number;
  /** Columns of a path. */
  readonly columns: number;
}

/** What stands at the end of a run. */
const AT_END: FilesShown = { files: 10, columns: 50 };

export const ALL_FILES: FilesShown = { files: Infinity, columns: Infinity };

/**
 * Each file and its lines, `src/a.ts  +10 -2`, below the sum; one file is its own sum.
 *
 * @param most - What is more is counted. @default 10 files, 50 columns of a path
 */
export function fileLines(
  files: readonly FileChange[],
  most: FilesShown = AT_END,
): readonly string[] {
  const shown = files.slice(0, most.files);
  const names = shown.map(({ path }) => fit(cleanLine(path), most.columns));
  const width = names.reduce((widest, name) => Math.max(widest, widthOf(name)), 0);
  const lines = shown.map((file, n) => lineOf(names[n] ?? "", width, file));
  if (files.length <= 1) return lines;
  const total = { files: files.length, added: sum(files, "added"), removed: sum(files, "removed") };
  const left = files.length - shown.length;
  const more = left === 0 ? [] : [`and ${count(left, "more file")}: quasar diff --stat`];
  return [changesText(total), ...lines, ...more];
}

function sum(files: readonly FileChange[], lines: "added" | "removed"): number {
  return files.reduce((total, file) => total + (file[lines] ?? 0), 0);
}

function lineOf(name: string, width: number, { added, removed }: FileChange): string {
  const lines = added === undefined ? "binary" : `+${added} -${removed ?? 0}`;
  return `${name}${" ".repeat(width - widthOf(name))}  ${lines}`;
}
