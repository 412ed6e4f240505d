/** Cuts a stream of bytes into lines; a line's pieces are joined once, when its end is seen. */
export interface LineSplitter {
  /** Returns `false` when a line has grown over the limit: nothing more is kept then. */
  push(chunk: Buffer): boolean;
  /** Hands over what came after the last line break. */
  end(): void;
}

/** @param maxLineBytes - a longer line is not handed over: the stream has to be given up. */
export function createLineSplitter(
  maxLineBytes: number,
  onLine: (line: string) => void,
): LineSplitter {
  let pieces: Buffer[] = [];
  let size = 0;
  const clear = () => {
    pieces = [];
    size = 0;
  };
  const flush = () => {
    const line = Buffer.concat(pieces, size).toString("utf8");
    clear();
    onLine(line.endsWith("\r") ? line.slice(0, -1) : line);
  };
  const keep = (piece: Buffer) => {
    if (size + piece.length > maxLineBytes) {
      clear();
      return false;
    }
    pieces.push(piece);
    size += piece.length;
    return true;
  };
  return {
    push(chunk) {
      let start = 0;
      for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, start)) {
        if (!keep(chunk.subarray(start, end))) {
          return false;
        }
        flush();
        start = end + 1;
      }
      return keep(chunk.subarray(start));
    },
    end() {
      if (size > 0) {
        flush();
      }
    },
  };
}
