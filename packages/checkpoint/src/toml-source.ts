import { CheckpointError } from "./errors.ts";

/** Deeper than this nothing is kept, whichever way it is written. */
export const MAX_DEPTH = 16;

/** More keys, brackets and commas than this no checkpoint has: 10,000 findings have a third of it. */
export const MAX_MARKS = 200_000;

/** So small a text cannot keep the parser long, whatever it holds. */
const SMALL = 64 * 1024;

/** A line as we and the Go original write most: the whole of it at once. */
const plainLine = /([A-Za-z0-9_]+(?:\.[A-Za-z0-9_]+)?) = (?:'[^'\n]*'|([^'"[{#\s][^#\n]*))\n/y;
const blank = /[ \t\r\n]*/y;
const keyPart = /[ \t]*(?:"((?:[^"\\\n]|\\.)*)"|'([^'\n]*)'|([A-Za-z0-9_-]+))[ \t]*/y;
const bareValue = /[^#\r\n]*/y;

/**
 * What a TOML parser does not tell: how the root's numbers and dates were written, by key as written
 * (`turn.attempt` for one with a dot). Strings, arrays and tables are left out.
 *
 * It makes sense of a valid document only; whether it is valid, the parser judges. What would take
 * the parser minutes or gigabytes is refused here.
 *
 * @throws {CheckpointError} `ERR_INVALID_CHECKPOINT`
 * @see SPEC.md, "Reading"
 */
export function scanScalars(text: string): ReadonlyMap<string, string> {
  const scalars = new Map<string, string>();
  let isRoot = true;
  let marks = 0;
  let at = text.charCodeAt(0) === 0xfeff ? 1 : 0;

  while ((at = skip(blank, text, at)) < text.length) {
    if (isRoot) {
      plainLine.lastIndex = at;
      const plain = plainLine.exec(text);
      if (plain !== null) {
        const [, name = "", scalar] = plain;
        if (scalar !== undefined) scalars.set(name, scalar.trim());
        marks = count(marks);
        at = plainLine.lastIndex;
        continue;
      }
    }
    const first = text[at];
    if (first === "#") {
      at = endOfLine(text, at);
      continue;
    }
    marks = count(marks);
    if (first === "[") {
      if (text.length <= SMALL) return scalars;
      isRoot = false;
      at += text[at + 1] === "[" ? 2 : 1;
    }
    const key: string[] = [];
    for (;;) {
      keyPart.lastIndex = at;
      const part = keyPart.exec(text);
      if (part === null) return scalars;
      at = keyPart.lastIndex;
      if (key.push(part[1] ?? part[2] ?? part[3] ?? "") > MAX_DEPTH) throw tooDeep();
      if (text[at] !== ".") break;
      at += 1;
    }
    if (first === "[") {
      at = endOfLine(text, at);
      continue;
    }
    if (text[at] !== "=") return scalars;
    at += 1;
    while (text[at] === " " || text[at] === "\t") at += 1;
    const start = at;
    if (`"'[{`.includes(text[at] ?? "")) {
      [at, marks] = endOfValue(text, at, marks);
    } else {
      at = skip(bareValue, text, at);
      if (isRoot) scalars.set(key.join("."), text.slice(start, at).trim());
    }
  }
  return scalars;
}

function count(marks: number): number {
  if (marks >= MAX_MARKS) throw refused(`more than ${MAX_MARKS} keys and values`);
  return marks + 1;
}

function tooDeep(): CheckpointError {
  return refused(`a key of more than ${MAX_DEPTH} parts`);
}

function refused(what: string): CheckpointError {
  return new CheckpointError("ERR_INVALID_CHECKPOINT", `not a checkpoint: it has ${what}`);
}

function skip(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  pattern.test(text);
  return pattern.lastIndex;
}

function endOfLine(text: string, at: number): number {
  const end = text.indexOf("\n", at);
  return end < 0 ? text.length : end;
}

/** Past a string, or past the bracket that closes what opens here; and the marks so far. */
function endOfValue(text: string, start: number, before: number): readonly [number, number] {
  let open = 0;
  let dots = 0;
  let marks = before;
  let at = start;
  while (at < text.length) {
    const character = text[at];
    if (character === '"' || character === "'") at = endOfString(text, at, character);
    else if (character === "#") at = endOfLine(text, at);
    else {
      if (character === "[" || character === "{") open += 1;
      if (character === "]" || character === "}") open -= 1;
      if (character === ".") dots += 1;
      if (",[]{}".includes(character ?? "")) {
        marks = count(marks);
        dots = 0; // those of one key or number
      }
      if (dots > MAX_DEPTH) throw tooDeep();
      at += 1;
    }
    if (open === 0) break;
  }
  return [at, marks];
}

/** Past a string that opens at `start`: on one line, or a block of several. */
export function endOfString(text: string, start: number, quote: string): number {
  const isBlock = text.startsWith(quote.repeat(3), start);
  const closing = isBlock ? quote.repeat(3) : quote;
  let end = start + closing.length;
  for (;;) {
    end = text.indexOf(closing, end);
    if (end < 0) return text.length;
    if (quote === "'" || !isEscaped(text, end)) break;
    end += 1;
  }
  end += closing.length;
  if (!isBlock) return end;
  const own = text.slice(end, end + 2); // a block may itself end in one or two quotes
  return end + (own === quote + quote ? 2 : own.startsWith(quote) ? 1 : 0);
}

/** Whether an odd number of backslashes stands before. */
function isEscaped(text: string, at: number): boolean {
  let before = at;
  while (text[before - 1] === "\\") before -= 1;
  return (at - before) % 2 === 1;
}
