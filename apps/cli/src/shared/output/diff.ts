import { clean } from "@quasar/runs/text";
import type { Paint, Style } from "./text.ts";

/** A line of a patch, as a person reads it; not cleaned. */
export interface PatchLine {
  readonly text: string;
  readonly style: Style | undefined;
}

/**
 * A diff for a person: the list of files, then all of it. What is binary is not printed, only that it
 * differs.
 */
export function diffLines(
  { stat, text }: { readonly stat: string; readonly text: string },
  paint: Paint,
): string[] {
  if (text === "") return ["nothing has changed"];
  const lines = patchLines(text).map(({ text: line, style }) => {
    const shown = clean(line);
    return style === undefined ? shown : paint(style, shown);
  });
  return [...clean(stat).trimEnd().split("\n"), "", ...lines];
}

/** A patch without the bytes of what is binary. @param text - Unified, as git prints it. */
export function patchLines(text: string): readonly PatchLine[] {
  let isHunk = false;
  let isBinary = false;
  const lines: PatchLine[] = [];
  for (const line of text.replace(/\n$/u, "").split("\n")) {
    if (line.startsWith("diff --git ")) {
      isHunk = false;
      isBinary = false;
    } else if (line.startsWith("@@")) {
      isHunk = true;
    } else if (line === "GIT binary patch" && !isHunk) {
      isBinary = true;
      lines.push({ text: "binary: its bytes are not shown", style: undefined });
    }
    if (isBinary) continue;
    lines.push({ text: isHunk ? line : shortened(line), style: styleOf(line, isHunk) });
  }
  return lines;
}

/** A header of a file with the ids that git has in full for programs. */
function shortened(line: string): string {
  return line.replace(/^index ([0-9a-f]{10})[0-9a-f]+\.\.([0-9a-f]{10})[0-9a-f]+/u, "index $1..$2");
}

function styleOf(line: string, isHunk: boolean): Style | undefined {
  if (!isHunk) return "bold";
  if (line.startsWith("@@")) return "cyan";
  if (line.startsWith("+")) return "green";
  return line.startsWith("-") ? "red" : undefined;
}
