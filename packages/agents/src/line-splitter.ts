/** Cuts a stream of bytes into lines. A chunk is read before `push` returns: its buffer may be used again. */
export interface LineSplitter {
  push(chunk: Buffer): void;
  /** Hands over what came after the last line break. */
  end(): void;
}

/** Bytes of a line whose end has not come yet: no more are held than the longest line needs. */
const FIRST_BYTES = 2 ** 16;

/**
 * What lines cost depends on their bytes, however short they are: those that end in one chunk are handed over together.
 *
 * @param maxLineBytes - Of a longer line what comes after is left out.
 * @param onLines - One line at least. `isCut`: of a line that was longer, which comes alone.
 */
export function createBatchSplitter(
  maxLineBytes: number,
  onLines: (lines: readonly string[], isCut: boolean) => void,
): LineSplitter {
  let held = Buffer.alloc(0);
  let size = 0;
  let isCut = false;
  const hold = (piece: Buffer): void => {
    const room = maxLineBytes - size;
    isCut ||= piece.length > room;
    const kept = piece.length > room ? piece.subarray(0, room) : piece;
    if (held.length < size + kept.length) {
      const grown = Math.max(FIRST_BYTES, 2 * held.length, size + kept.length);
      const before = held;
      held = Buffer.allocUnsafeSlow(Math.min(grown, Math.max(maxLineBytes, FIRST_BYTES)));
      before.copy(held, 0, 0, size);
    }
    kept.copy(held, size);
    size += kept.length;
  };
  const flush = (): void => {
    const bytes = held.subarray(0, size);
    const wasCut = isCut;
    size = 0;
    isCut = false;
    if (!wasCut) return onLines(linesOf(bytes), false);
    const text = bytes.toString("utf8");
    onLines([text.endsWith(HALF) ? text.slice(0, -HALF.length) : text], true);
  };
  return {
    push(chunk) {
      const last = chunk.lastIndexOf(10);
      let start = 0;
      while (start <= last) {
        const isWhole = size === 0 && last - start <= maxLineBytes;
        const end = isWhole ? last : chunk.indexOf(10, start);
        const piece = chunk.subarray(start, end);
        start = end + 1;
        if (isWhole) {
          onLines(linesOf(piece), false);
        } else {
          hold(piece);
          flush();
        }
      }
      if (start < chunk.length) hold(chunk.subarray(start));
    },
    end() {
      if (size > 0) flush();
    },
  };
}

/** The same, line by line. */
export function createLineSplitter(
  maxLineBytes: number,
  onLine: (line: string, isCut: boolean) => void,
): LineSplitter {
  return createBatchSplitter(maxLineBytes, (lines, isCut) => {
    for (const line of lines) onLine(line, isCut);
  });
}

/** Takes lines that come together one by one. */
export function lineByLine(read: (line: string) => unknown): (lines: readonly string[]) => void {
  return (lines) => {
    for (const line of lines) read(line);
  };
}

/** @param bytes - Without the last line's break. */
function linesOf(bytes: Buffer): readonly string[] {
  const text = bytes.toString("utf8");
  const lines = text.split("\n");
  if (!text.includes("\r")) return lines;
  return lines.map((line) => (line.endsWith("\r") ? line.slice(0, -1) : line));
}

/** What a character that was cut in two is read as. */
const HALF = "\ufffd";
