import { clean } from "@quasar/runs/text";
import type { Paint, Style } from "./text.ts";

/**
 * A diff for a person: the list of files, then all of it. What is binary is not printed, only that it
 * differs.
 */
export function diffLines(
  { stat, text }: { readonly stat: string; readonly text: string },
  paint: Paint,
): string[] {
  if (text === "") return ["nothing has changed"];
  let isHunk = false;
  let isBinary = false;
  const lines: string[] = [];
  for (const line of text.replace(/\n$/u, "").split("\n")) {
    if (line.startsWith("diff --git ")) {
      isHunk = false;
      isBinary = false;
    } else if (line.startsWith("@@")) {
      isHunk = true;
    } else if (line === "GIT binary patch" && !isHunk) {
      isBinary = true;
      lines.push("binary: its bytes are not shown");
    }
    if (isBinary) continue;
    const style = styleOf(line, isHunk);
    const shown = clean(isHunk ? line : shortened(line));
    lines.push(style === undefined ? shown : paint(style, shown));
  }
  return [...clean(stat).trimEnd().split("\n"), "", ...lines];
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
