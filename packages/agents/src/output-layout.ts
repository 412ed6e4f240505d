/**
 * How a turn's standard output lies in files: the beginning in `.out`, what comes after in parts, of which the
 * last few are kept. What decides in parts that are not is in `.middle`, a section for each.
 *
 * @see SPEC.md, "A long output"
 */
export interface OutputSizes {
  /** Of `.out`, in bytes. */
  readonly head: number;
  /** Of a part; a line that is longer has one for itself. */
  readonly part: number;
  /** How many parts are kept, the one that is being written included. */
  readonly parts: number;
  /** Of `.middle`. */
  readonly middle: number;
}

const MB = 2 ** 20;

export const OUTPUT_SIZES: OutputSizes = { head: 24 * MB, part: 8 * MB, parts: 4, middle: 8 * MB };

/** The ending of a part's file. @param part - 1 or more. */
export const partEnding = (part: number): string => `part-${part}`;

/** What stands before the lines of a section, as a line of JSON. */
export interface SectionHead {
  readonly part: number;
  /** Length of the part, in bytes. */
  readonly partBytes: number;
  /** UTF-16 units of the part's lines, their breaks included, that are not in the section. */
  readonly omitted: number;
  /** Length of the section's lines, in bytes. */
  readonly bytes: number;
}

/** No head of a section is longer, in bytes. */
export const MAX_SECTION_HEAD = 256;

/** @returns `undefined` for what is none. */
export function parseSectionHead(line: string): SectionHead | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return undefined;
  }
  const head = { ...(value as Partial<SectionHead> | null) };
  const { part = -1, partBytes = -1, omitted = -1, bytes = -1 } = head;
  const isHead = [part, partBytes, omitted, bytes].every((n) => Number.isSafeInteger(n) && n >= 0);
  return isHead ? { part, partBytes, omitted, bytes } : undefined;
}
