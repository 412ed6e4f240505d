const WIDE =
  /[\p{Emoji_Presentation}\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;
const NARROWLESS = /\p{M}/u;

function charWidth(char: string): number {
  if (NARROWLESS.test(char)) return 0;
  return WIDE.test(char) ? 2 : 1;
}

/** Columns that cleaned text takes on a terminal. */
export function widthOf(text: string): number {
  let width = 0;
  for (const char of text) width += charWidth(char);
  return width;
}

/** Cuts cleaned text to a number of columns; what was cut ends in `…`. */
export function fit(text: string, columns: number): string {
  if (widthOf(text) <= columns) return text;
  let kept = "";
  let width = 1;
  for (const char of text) {
    width += charWidth(char);
    if (width > columns) break;
    kept += char;
  }
  return `${kept.trimEnd()}…`;
}

/** What of a line is left for its words, however far it is indented. */
const NARROWEST = 20;

/** Breaks cleaned text between words into lines of at most so many columns, each indented as its paragraph is. */
export function wrap(text: string, columns: number): string[] {
  return text.split("\n").flatMap((paragraph) => {
    if (widthOf(paragraph) <= columns) return [paragraph];
    const [indent = ""] = /^ */u.exec(paragraph) ?? [];
    const kept = indent.slice(0, Math.max(0, columns - NARROWEST));
    const lines = wrapParagraph(paragraph.trimStart(), columns - kept.length);
    return lines.map((line) => kept + line);
  });
}

function wrapParagraph(paragraph: string, columns: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of paragraph.split(" ")) {
    const longer = line === "" ? word : `${line} ${word}`;
    if (line !== "" && widthOf(longer) > columns) {
      lines.push(line);
      line = word;
    } else {
      line = longer;
    }
    while (widthOf(line) > columns) {
      const head = headOf(line, columns);
      lines.push(head);
      line = line.slice(head.length);
    }
  }
  lines.push(line);
  return lines;
}

/** As many characters as fit, at least one. */
function headOf(text: string, columns: number): string {
  let head = "";
  let width = 0;
  for (const char of text) {
    width += charWidth(char);
    if (width > columns && head !== "") break;
    head += char;
  }
  return head;
}
