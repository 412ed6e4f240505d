import { cutText } from "@quasar/checkpoint";

// What Go's strings.TrimSpace cuts. String.prototype.trim differs: it cuts U+FEFF and keeps U+0085.
const SPACE: ReadonlySet<string> = new Set(
  "\t\n\v\f\r \u0085\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000",
);
const LINE_BREAK = /[\n\v\f\r\u0085\u2028\u2029]/u;

/** Cuts white space from both ends: the set that the original's parser cuts. */
export function trimSpace(text: string): string {
  return trim(text, (character) => SPACE.has(character));
}

/** Cuts white space and the marks of Markdown from both ends. */
export function trimMarks(text: string): string {
  return trim(text, (character) => SPACE.has(character) || "*_`".includes(character));
}

/** Not by an expression: `\s+$` looks at each run within the text, and again from each of its characters. */
function trim(text: string, isCut: (character: string) => boolean): string {
  let from = 0;
  let to = text.length;
  while (from < to && isCut(text.charAt(from))) from += 1;
  while (to > from && isCut(text.charAt(to - 1))) to -= 1;
  return text.slice(from, to);
}

function linesOf(text: string): readonly string[] {
  return text.split(LINE_BREAK).map(trimSpace).filter(Boolean);
}

/** One line: its breaks, with the space around them, become one space each. */
export function oneLine(text: string): string {
  return linesOf(text).join(" ");
}

/** One word of a shell command: of text without line breaks, whatever else is in it. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/u.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** The first line that says something, at most `limit` code points long. */
export function firstLine(text: string, limit: number): string {
  return cutText(linesOf(text)[0] ?? "", limit);
}

/** At most `limit` code points, whole words where that leaves more than half of them. */
export function cutAtWord(text: string, limit: number): string {
  const cut = cutText(text, limit);
  if (cut.length === text.length) return text;
  const end = /\s/u.test(text.charAt(cut.length)) ? cut.length : cut.lastIndexOf(" ");
  const words = cut.slice(0, 2 * end > cut.length ? end : cut.length);
  return words.replace(/[\s,;:(–-]+$/u, "");
}

/** At most `limit` code points, never half of one, with a mark where something was cut. */
export function truncate(text: string, limit: number): string {
  const cut = cutText(text, limit);
  return cut.length === text.length ? cut : `${cut}... [truncated]`;
}

/** Text of somebody else, in a fence that it cannot close. */
export function fence(text: string): string {
  let longest = 2;
  for (const run of text.matchAll(/`+/gu)) longest = Math.max(longest, run[0].length);
  const marks = "`".repeat(longest + 1);
  return `${marks}\n${text}\n${marks}`;
}
