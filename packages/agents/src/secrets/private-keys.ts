const FRAME = "[A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----";
const BEGIN = new RegExp(`-----BEGIN ${FRAME}`);
const END = new RegExp(`-----END ${FRAME}`);
const SIGN = "PRIVATE KEY";
/** Line breaks, as they are and as they stand in JSON and in programs, however often written out. */
const BREAK = /(\r?\n|(?:\\+r)?\\+n)/;
/** A line of a key, behind line numbers, marks of a diff or of a quotation, and quotes. */
const KEY_LINE =
  /^(\s{0,40}(?:\d{1,7}\s{0,3}[\s:|→-]\s{0,3})?[\s>|*#"'`+-]{0,40})([A-Za-z0-9+/]+={0,2})([\s"'`,;+)\\]{0,40})$/;
/** What may stand between a frame and a key, or in a key. */
const BLANK_OR_HEADER = /^[\s>|*#"'`,;+)\\-]*(?:[A-Za-z][A-Za-z-]{2,20}: .*)?$/;
/** Tells a key's first line from an only word in a line. */
const FIRST_LINE = /^(?=[^0-9]*[0-9]).{16}/;
/** What follows where a key was cut off. */
const WORD = /^(?:[A-Z]?[a-z]{0,14}|[A-Z]{1,15})$/;
const WHOLE_KEY = /^[A-Za-z0-9+/=\s\\]{16,}$/;
const BEGUN_KEY = /^\s*[A-Za-z0-9+/]{40,}={0,2}\s*$/;
/** Longer lines are none of a key. */
const MAX_LINE = 20_000;

interface KeyLine {
  readonly before: string;
  readonly key: string;
  readonly after: string;
}

function readKeyLine(line: string): KeyLine | undefined {
  const [, before = "", key = "", after = ""] =
    line.length > MAX_LINE ? [] : (KEY_LINE.exec(line) ?? []);
  return key === "" || WORD.test(key) ? undefined : { before, key, after };
}

/** Takes the lines of a text one after the other, and remembers whether a key has begun. */
export interface PrivateKeyReader {
  replace(line: string): string;
  /** Whether the next line may be one of a key. */
  isInKey(): boolean;
}

/** Replaces what stands in the frames of private keys; the frames stay. */
export function createPrivateKeyReader(mask: string): PrivateKeyReader {
  let state: "outside" | "framed" | "inside" = "outside";

  const replaceLine = (line: string): string => {
    const parts = readKeyLine(line);
    if (parts !== undefined && (state === "inside" || FIRST_LINE.test(parts.key))) {
      state = "inside";
      return parts.before + mask + parts.after;
    }
    if (line.length > MAX_LINE || !BLANK_OR_HEADER.test(line)) state = "outside";
    return line;
  };
  /** What follows a frame in its own line: a whole key, the beginning of one, or none. */
  const replaceRest = (rest: string): string => {
    const end = END.exec(rest.slice(0, MAX_LINE));
    const key = rest.slice(0, end?.index ?? MAX_LINE);
    if (end === null) return BEGUN_KEY.test(key) ? mask + rest.slice(key.length) : rest;
    state = "outside";
    return (WHOLE_KEY.test(key) ? mask : key) + replaceOne(rest.slice(end.index));
  };
  const replaceOne = (line: string): string => {
    const begin = BEGIN.exec(line);
    if (begin !== null) {
      const at = begin.index + begin[0].length;
      state = "framed";
      return line.slice(0, at) + replaceRest(line.slice(at));
    }
    if (state === "outside") return line;
    const end = END.exec(line);
    if (end === null) return replaceLine(line);
    const shown = replaceLine(line.slice(0, end.index)) + line.slice(end.index);
    state = "outside";
    return shown;
  };
  return {
    isInKey: () => state !== "outside",
    replace(text) {
      if (state === "outside" && !text.includes(SIGN)) return text;
      const pieces = text.split(BREAK);
      return pieces.map((piece, at) => (at % 2 === 0 ? replaceOne(piece) : piece)).join("");
    },
  };
}

/** Replaces private keys in a whole text, one whose beginning was cut off included. */
export function replacePrivateKeys(text: string, mask: string): string {
  if (!text.includes(SIGN)) return text;
  return createPrivateKeyReader(mask).replace(replaceCutKey(text, mask));
}

function replaceCutKey(text: string, mask: string): string {
  const end = END.exec(text)?.index ?? 0;
  const begin = BEGIN.exec(text)?.index ?? text.length;
  if (end === 0 || begin < end) return text;
  const pieces = text.slice(0, end).split(BREAK);
  // From the last line before the frame on to the front: pieces between lines are breaks.
  for (let at = pieces.length - 1; at >= 0; at -= 2) {
    const line = pieces[at] ?? "";
    const parts = readKeyLine(line);
    if (parts !== undefined) pieces[at] = parts.before + mask + parts.after;
    else if (line.trim() !== "") break;
  }
  return pieces.join("") + text.slice(end);
}
