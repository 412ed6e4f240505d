/** What a text has of the lines that a merge writes into a conflict. */
export interface Marks {
  /** How wide the first lines are that name a side, in their order. */
  readonly starts: readonly number[];
  /** Whether a first or a last line names a side. */
  readonly hasOuter: boolean;
  /** How many lines are nothing but `=`, by their width. */
  readonly separators: ReadonlyMap<number, number>;
}

/** Most bytes that are kept of a line: a marker is not that wide. */
const MOST_LINE = 4096;
const NEWLINE = 0x0a;

/** Finds the marks in a text that comes piece by piece; of it no more is kept than the beginning of one line. */
export class MarkScanner {
  readonly #outer: RegExp;
  readonly #starts: number[] = [];
  #hasOuter = false;
  readonly #separators = new Map<number, number>();
  /** The beginning of the line under way, one character a byte. */
  #line = "";
  /** Whether that line cannot be a mark. */
  #isOther = false;

  /** @param sides - Full ids of the commits that were merged. */
  constructor(sides: readonly string[]) {
    this.#outer = new RegExp(`^(?:<{7,}|>{7,}) (?:${sides.join("|")})(?::|$)`, "u");
  }

  write(chunk: Buffer): void {
    for (let at = 0; at < chunk.length; ) {
      const end = chunk.indexOf(NEWLINE, at);
      this.#extend(chunk.subarray(at, end < 0 ? chunk.length : end));
      if (end < 0) return;
      this.#endLine();
      at = end + 1;
    }
  }

  /** Call it once, after the last piece. */
  end(): Marks {
    this.#endLine();
    return { starts: this.#starts, hasOuter: this.#hasOuter, separators: this.#separators };
  }

  #extend(part: Buffer): void {
    if (this.#isOther || part.length === 0) return;
    if (this.#line === "" && !/^[<=>]/u.test(part.toString("latin1", 0, 1))) {
      this.#isOther = true;
      return;
    }
    // One character more than the most tells a longer line from a whole one.
    this.#line += part.toString("latin1", 0, MOST_LINE + 1 - this.#line.length);
  }

  #endLine(): void {
    const line = this.#line.replace(/\r$/u, "");
    this.#line = "";
    this.#isOther = false;
    if (line === "") return;
    if (/^=+$/u.test(line)) {
      this.#separators.set(line.length, (this.#separators.get(line.length) ?? 0) + 1);
    } else if (this.#outer.test(line)) {
      this.#hasOuter = true;
      if (line.startsWith("<")) this.#starts.push(line.indexOf(" "));
    }
  }
}

/**
 * Whether a text has a marker of those that a merge has written into another one. The outer two name their side; a
 * separator looks like the underline of a title, so those are counted.
 */
export function hasMarksOf(conflict: Marks, text: Marks): boolean {
  const { starts } = conflict;
  if (starts.length === 0) return false;
  if (text.hasOuter) return true;
  return starts.some((width) => {
    const count = ({ separators }: Marks): number => separators.get(width) ?? 0;
    const written = starts.filter((each) => each === width).length;
    return count(text) > count(conflict) - written;
  });
}
