import { closingNothing } from "./closes.ts";

const WIDTH = 72;
/** A line that cannot be broken and is longer is left out. */
const LONGEST = 100;
const MOST_LINES = 60;
/** What comes after them is not looked at: a report may be as long as all that an agent prints. */
const MOST_CHARACTERS = 2 ** 16;
const INDENT = "  ";

/**
 * A report as the body of a commit message: lines of at most 72 code points, a longer word by itself,
 * none of more than 100; at most 60 lines. What git or a release tool would act on at the beginning of a line is
 * indented, and no issue is closed.
 *
 * @see SPEC.md, "Commits"
 */
export function commitBody(report: string): string {
  const isLong = report.length > MOST_CHARACTERS;
  const lines = closingNothing(report.slice(0, MOST_CHARACTERS).toWellFormed())
    .replace(SKIP_CI, "($1)")
    .split(LINE_BREAK)
    .flatMap((line) => wrap(line.replace(UNSAFE, " ").trimEnd()));
  const kept = lines.filter((line, at) => line !== "" || (at > 0 && lines[at - 1] !== ""));
  const body = kept
    .slice(0, MOST_LINES)
    .join("\n")
    .replace(/^\n+|\n+$/gu, "");
  return isLong || kept.length > MOST_LINES ? `${body}\n\n[…]` : body;
}

const LINE_BREAK = /\r\n|[\n\v\f\r\u0085\u2028\u2029]/u;
const UNSAFE = /[\p{Cc}\p{Bidi_Control}]+/gu;
const SKIP_CI = /\[(skip ci|ci skip|no ci|skip actions|actions skip)\]/giu;

/** Git cleans lines away that begin with `#` when somebody edits the message. */
const HEADING = /^\s*#+\s*/u;
/** The indentation of a list's item, and its mark. */
const ITEM = /^(\s{0,8})((?:[-*+]|\d{1,3}[.)])\s+)?/u;

function wrap(line: string): readonly string[] {
  const text = line.replace(HEADING, "");
  const [lead = "", indent = "", mark = ""] = ITEM.exec(text) ?? [];
  const words = text.slice(lead.length).split(/\s+/u).filter(Boolean);
  if (words.length === 0) return mark === "" ? [""] : [];
  const lines: string[] = [];
  let current = "";
  for (const word of words) {
    const begin = lines.length === 0 ? lead : `${indent}${" ".repeat(mark.length)}`;
    const joined = current === "" ? `${begin}${word}` : `${current} ${word}`;
    if (current !== "" && lengthOf(joined) > WIDTH - INDENT.length) {
      lines.push(current);
      current = `${indent}${" ".repeat(mark.length)}${word}`;
    } else {
      current = joined;
    }
  }
  lines.push(current);
  return lines
    .map((each) => (ACTED_ON.some((pattern) => pattern.test(each)) ? `${INDENT}${each}` : each))
    .filter((each) => lengthOf(each) <= LONGEST);
}

function lengthOf(text: string): number {
  return Array.from(text).length;
}

const ACTED_ON: readonly RegExp[] = [
  // Trailers.
  /^[A-Za-z0-9][A-Za-z0-9-]*\s*:/u,
  /^BREAKING[ -]CHANGE\b/u,
  /^\(cherry picked from commit/u,
  // What ends the message where a patch is made of the commit.
  /^(?:---|diff -|Index: |From )/u,
];
