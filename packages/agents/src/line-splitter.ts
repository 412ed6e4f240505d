/** Cuts a stream of bytes into lines. A chunk is read before `push` returns: its buffer may be used again. */
export interface LineSplitter {
  push(chunk: Buffer): void;
  /** Hands over what came after the last line break. */
  end(): void;
}

/** Bytes of a line whose end has not come yet: no more are held than the longest line needs. */
const FIRST_BYTES = 2 ** 16;

/**
 * @param maxLineBytes - Of a longer line what comes after is left out.
 * @param onLine - `isCut`: of a line that was longer.
 */
export function createLineSplitter(
  maxLineBytes: number,
  onLine: (line: string, isCut: boolean) => void,
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
  const flush = (bytes: Buffer): void => {
    const text = bytes.toString("utf8");
    const wasCut = isCut;
    size = 0;
    isCut = false;
    if (wasCut) onLine(text.endsWith(HALF) ? text.slice(0, -HALF.length) : text, true);
    else onLine(text.endsWith("\r") ? text.slice(0, -1) : text, false);
  };
  return {
    push(chunk) {
      let start = 0;
      for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, start)) {
        const piece = chunk.subarray(start, end);
        start = end + 1;
        if (size === 0 && piece.length <= maxLineBytes) {
          flush(piece);
        } else {
          hold(piece);
          flush(held.subarray(0, size));
        }
      }
      if (start < chunk.length) hold(chunk.subarray(start));
    },
    end() {
      if (size > 0) flush(held.subarray(0, size));
    },
  };
}

/** What a character that was cut in two is read as. */
const HALF = "\ufffd";
