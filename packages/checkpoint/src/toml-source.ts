/**
 * What a TOML parser does not tell: how the root's numbers and dates were written. It makes sense
 * of a valid document only, and never fails on another: whether it is valid, the parser judges.
 */
export interface TomlSource {
  /** By key as written, `turn.attempt` for one with a dot; strings, arrays and tables are left out. */
  readonly scalars: ReadonlyMap<string, string>;
  /** Most parts that one key has; the parser's limit on depth does not count them. */
  readonly longestKey: number;
}

const blank = /[ \t\r\n]*/y;
const keyPart = /[ \t]*(?:"((?:[^"\\\n]|\\.)*)"|'([^'\n]*)'|([A-Za-z0-9_-]+))[ \t]*/y;
const bareValue = /[^#\r\n]*/y;

/** @see SPEC.md, "Reading" */
export function scanSource(text: string): TomlSource {
  const scalars = new Map<string, string>();
  let longestKey = 0;
  let isRoot = true;
  let at = text.charCodeAt(0) === 0xfeff ? 1 : 0;

  while ((at = skip(blank, text, at)) < text.length) {
    const first = text[at];
    if (first === "#") {
      at = endOfLine(text, at);
      continue;
    }
    if (first === "[") {
      isRoot = false;
      at += text[at + 1] === "[" ? 2 : 1;
    }
    const key: string[] = [];
    let parts = 0;
    for (;;) {
      keyPart.lastIndex = at;
      const part = keyPart.exec(text);
      if (part === null) return { scalars, longestKey };
      at = keyPart.lastIndex;
      if (++parts <= 2) key.push(part[1] ?? part[2] ?? part[3] ?? "");
      if (text[at] !== ".") break;
      at += 1;
    }
    longestKey = Math.max(longestKey, parts);
    if (first === "[") {
      at = endOfLine(text, at);
      continue;
    }
    if (text[at] !== "=") break;
    at += 1;
    while (text[at] === " " || text[at] === "\t") at += 1;
    const start = at;
    const isScalar = !`"'[{`.includes(text[at] ?? "");
    at = isScalar ? skip(bareValue, text, at) : endOfValue(text, at);
    if (isScalar && isRoot && parts <= 2) scalars.set(key.join("."), text.slice(start, at).trim());
  }
  return { scalars, longestKey };
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

/** Past a string, or past the bracket that closes what opens here. */
function endOfValue(text: string, start: number): number {
  let open = 0;
  let at = start;
  while (at < text.length) {
    const character = text[at];
    if (character === '"' || character === "'") at = endOfString(text, at, character);
    else if (character === "#") at = endOfLine(text, at);
    else {
      if (character === "[" || character === "{") open += 1;
      if (character === "]" || character === "}") open -= 1;
      at += 1;
    }
    if (open === 0) return at;
  }
  return at;
}

function endOfString(text: string, start: number, quote: string): number {
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
