import { parse } from "smol-toml";

/** From 1 both. */
export interface PlaceInText {
  readonly line: number;
  readonly column: number;
}

/** Nested deeper than any setting is; a document that goes further is refused. */
export const TOML_OPTIONS = { maxDepth: 8 } as const;

// A repository may have written the file: what is tried of it is bounded.
const MOST_CANDIDATES = 10;
const MOST_LINES = 50;

/**
 * Where a valid TOML document sets a key; `undefined` where that is not found. A parser keeps no places, so the
 * statement is searched for with which the document, read up to there, has the key.
 *
 * @param key - `table.key` within a table.
 */
export function placeInToml(text: string, key: string): PlaceInText | undefined {
  const lines = text.split("\n");
  const last = key.split(".").at(-1) ?? key;
  const candidates = lines.flatMap((line, at) => (line.includes(last) ? [at] : []));
  const at = candidates.slice(0, MOST_CANDIDATES).find((start) => isSetAt(lines, start, key));
  if (at === undefined) return undefined;
  return { line: at + 1, column: (lines[at]?.indexOf(last) ?? 0) + 1 };
}

/** Whether the statement that begins at a line sets the key. */
function isSetAt(lines: readonly string[], start: number, key: string): boolean {
  const before = documentOf(lines.slice(0, start));
  if (before === undefined || has(before, key)) return false;
  for (let end = start + 1; end <= Math.min(lines.length, start + MOST_LINES); end++) {
    const document = documentOf(lines.slice(0, end));
    if (document !== undefined) return has(document, key);
  }
  return false;
}

/** `undefined` where the lines end within a statement. */
function documentOf(lines: readonly string[]): unknown {
  try {
    return parse(lines.join("\n"), TOML_OPTIONS);
  } catch {
    return undefined;
  }
}

/** A part of a key may have a dot in it, where it is quoted. */
function has(table: unknown, key: string): boolean {
  if (typeof table !== "object" || table === null) return false;
  if (Object.hasOwn(table, key)) return true;
  return [...key.matchAll(/\./gu)].some(({ index }) => {
    const first = key.slice(0, index);
    return (
      Object.hasOwn(table, first) &&
      has((table as Readonly<Record<string, unknown>>)[first], key.slice(index + 1))
    );
  });
}
