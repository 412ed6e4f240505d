/**
 * What a reader cannot see, or what acts on a terminal or on the direction of the text: controls,
 * formats (bidi, zero width, tags), surrogates that stand alone, private use, noncharacters,
 * whatever Unicode calls ignorable (variation selectors, fillers), every space but U+0020, and two
 * symbols that are drawn as nothing.
 */
const HIDDEN =
  /(?! )[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Z}\p{Noncharacter_Code_Point}\p{Default_Ignorable_Code_Point}\u2800\u{1D159}]/gu;

const HIDDEN_BUT_LINE_FEED = new RegExp(`(?!\\n)${HIDDEN.source}`, HIDDEN.flags);

/** Stands for a line's end within one line. */
const LINE_END = "↵";
/** Stands where something was left out. */
const CUT = "…";
const TAB = "    ";

/**
 * A text as one line of at most `max` code points, every one of them visible. What is hidden is
 * written as its number, `<U+200B>`; a line's end as `↵`; a tab as a space; what is blank as
 * `(empty)`; the rest after a cut as `…`.
 *
 * @see SPEC.md, "Text of others"
 */
export function visibleLine(text: string, max: number): string {
  const { text: part, isCut } = boundStart(trimBlanks(text), max);
  const line = part
    .replace(/\r\n|[\r\n]/g, LINE_END)
    .replaceAll("\t", " ")
    .replace(HIDDEN, numberOf);
  return line === "" ? "(empty)" : cutEnd(line, max, isCut);
}

/**
 * A text as lines, at most `max` code points of it and all of them visible: as `visibleLine`, but
 * CRLF and LF end a line, and a tab is four spaces. `keep` says which of its ends is kept.
 */
export function visibleLines(text: string, max: number, keep: "start" | "end" = "start"): string {
  const bound = keep === "start" ? boundStart : boundEnd;
  const { text: part, isCut } = bound(trimBlanks(text), max);
  const lines = part
    .replaceAll("\r\n", "\n")
    .replaceAll("\t", TAB)
    .replace(HIDDEN_BUT_LINE_FEED, numberOf);
  if (lines === "") return "(empty)";
  return keep === "start" ? cutEnd(lines, max, isCut) : cutStart(lines, max, isCut);
}

function numberOf(character: string): string {
  const point = character.codePointAt(0) ?? 0;
  return `<U+${point.toString(16).toUpperCase().padStart(4, "0")}>`;
}

interface Bounded {
  readonly text: string;
  readonly isCut: boolean;
}

// What follows looks at no more of a text than can be shown of it: a code point has up to two
// units, and a line's end of two becomes one.
const unitsFor = (max: number) => 4 * max + 4;

function boundStart(text: string, max: number): Bounded {
  const isCut = text.length > unitsFor(max);
  return { text: isCut ? text.slice(0, unitsFor(max)) : text, isCut };
}

function boundEnd(text: string, max: number): Bounded {
  const isCut = text.length > unitsFor(max);
  return { text: isCut ? text.slice(-unitsFor(max)) : text, isCut };
}

function cutEnd(text: string, max: number, isCut: boolean): string {
  const points = Array.from(text);
  if (!isCut && points.length <= max) return text;
  return points.slice(0, max - 1).join("") + CUT;
}

function cutStart(text: string, max: number, isCut: boolean): string {
  const points = Array.from(text);
  if (!isCut && points.length <= max) return text;
  return CUT + points.slice(1 - max).join("");
}

/** Without the white space of ASCII at both ends: what is hidden there is not dropped in silence. */
function trimBlanks(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isBlank(text.charCodeAt(start))) start += 1;
  while (end > start && isBlank(text.charCodeAt(end - 1))) end -= 1;
  return text.slice(start, end);
}

const isBlank = (unit: number) => unit === 0x20 || unit === 0x09 || unit === 0x0a || unit === 0x0d;
