/** Whatever a terminal may act on or hide: controls, bidi marks, invisible and private characters. */
const UNSAFE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cs}\p{Default_Ignorable_Code_Point}]/gu;

function visible(char: string): string {
  if (char === "\n") return char;
  if (char === "\t") return "  ";
  const code = char.codePointAt(0) ?? 0xfffd;
  return `\\u{${code.toString(16)}}`;
}

/**
 * Makes untrusted text safe to print: what could move the cursor, colour, reorder or hide becomes a
 * visible escape such as `\u{1b}`. Only line feeds stay; a tab becomes two spaces.
 */
export function clean(text: string): string {
  return text.toWellFormed().replace(UNSAFE, visible);
}

/** {@link clean} for a place that holds one line: runs of white space become one space. */
export function cleanLine(text: string): string {
  return clean(text.replace(/[\s\u0085]+/gu, " ").trim());
}

/**
 * A JSON line: the values stay exact, and what {@link clean} would escape is escaped as JSON
 * allows, so that the line is harmless on a terminal too.
 *
 * @param indent - Spaces of each level, on lines of their own. @default all on one line
 */
export function jsonLine(value: unknown, indent?: number): string {
  const escape = (char: string): string =>
    Array.from({ length: char.length }, (_, unit) => {
      return `\\u${char.charCodeAt(unit).toString(16).padStart(4, "0")}`;
    }).join("");
  // A line's end that is not escaped is our own, from the indentation.
  const lines = JSON.stringify(value, undefined, indent).split("\n");
  return lines.map((line) => `${line.replace(UNSAFE, escape)}\n`).join("");
}
