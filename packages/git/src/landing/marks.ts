/** What a text has of the lines that a merge writes into a conflict. */
export interface Marks {
  /** How wide the first lines are that name a side, in their order. */
  readonly starts: readonly number[];
  /** Numbers of first and last lines that name a side, from 1: the first {@link MOST_NAMED} of them. */
  readonly outer: readonly number[];
  /** Lines that are nothing but `=`, by their width. */
  readonly separators: ReadonlyMap<number, Separators>;
}

/** Lines of one width. */
interface Separators {
  readonly count: number;
  /** Numbers of the first {@link MOST_NAMED} of them. */
  readonly lines: readonly number[];
}

/** Most lines of a text that are named. */
const MOST_NAMED = 20;

/** Most bytes that are kept of a line: a marker is not that wide. */
const MOST_LINE = 4096;
const NEWLINE = 0x0a;

/** Finds the marks in a text that comes piece by piece; of it no more is kept than the beginning of one line. */
export class MarkScanner {
  readonly #outerForm: RegExp;
  readonly #starts: number[] = [];
  readonly #outer: number[] = [];
  readonly #separators = new Map<number, Separators>();
  /** How many lines have ended. */
  #ended = 0;
  /** The beginning of the line under way, one character a byte. */
  #line = "";
  /** Whether that line cannot be a mark. */
  #isOther = false;

  /** @param sides - Full ids of the commits that were merged. */
  constructor(sides: readonly string[]) {
    this.#outerForm = new RegExp(`^(?:<{7,}|>{7,}) (?:${sides.join("|")})(?::|$)`, "u");
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
    return { starts: this.#starts, outer: this.#outer, separators: this.#separators };
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
    this.#ended += 1;
    if (line === "") return;
    if (/^=+$/u.test(line)) {
      const { count, lines } = this.#separators.get(line.length) ?? { count: 0, lines: [] };
      const named = count < MOST_NAMED ? [...lines, this.#ended] : lines;
      this.#separators.set(line.length, { count: count + 1, lines: named });
    } else if (this.#outerForm.test(line)) {
      if (this.#outer.length < MOST_NAMED) this.#outer.push(this.#ended);
      if (line.startsWith("<")) this.#starts.push(line.indexOf(" "));
    }
  }
}

/**
 * Numbers of the lines of a text that are markers of those that a merge has written into another one. The outer two name
 * their side, and where there are some those are named; a separator looks like the underline of a title, so those are
 * counted, and where there are too many all of that width are named.
 */
export function linesLeft({ starts, separators }: Marks, text: Marks): readonly number[] {
  if (starts.length === 0) return [];
  if (text.outer.length > 0) return text.outer;
  const left = [...new Set(starts)].flatMap((width) => {
    const now = text.separators.get(width);
    const written = starts.filter((each) => each === width).length;
    const own = (separators.get(width)?.count ?? 0) - written;
    return now !== undefined && now.count > own ? now.lines : [];
  });
  return left.toSorted((one, other) => one - other).slice(0, MOST_NAMED);
}
