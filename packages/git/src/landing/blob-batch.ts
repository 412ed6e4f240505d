/** Takes the contents of one blob after the other, piece by piece. It throws nothing. */
export interface BlobSink {
  write(chunk: Buffer): void;
  /** The blob under way is at its end. */
  end(): void;
}

const NEWLINE = 0x0a;

/** Takes apart what `git cat-file --batch` prints of blobs, piece by piece. */
export class BlobBatch {
  readonly #sink: BlobSink;
  #header = "";
  /** Bytes to come of the blob under way and of the line's end behind it; 0: a header is to come. */
  #left = 0;
  #isStopped = false;

  constructor(sink: BlobSink) {
    this.#sink = sink;
  }

  /** What comes after something that is no blob is passed over. */
  write(chunk: Buffer): void {
    for (let at = 0; at < chunk.length && !this.#isStopped; ) {
      at = this.#left === 0 ? this.#readHeader(chunk, at) : this.#readBlob(chunk, at);
    }
  }

  #readHeader(chunk: Buffer, at: number): number {
    const end = chunk.indexOf(NEWLINE, at);
    this.#header += chunk.toString("latin1", at, end < 0 ? chunk.length : end);
    if (end < 0) return chunk.length;
    const [, size] = /^[0-9a-f]+ blob (\d+)$/u.exec(this.#header) ?? [];
    this.#header = "";
    this.#isStopped = size === undefined;
    this.#left = Number(size) + 1;
    return end + 1;
  }

  #readBlob(chunk: Buffer, at: number): number {
    const taken = Math.min(this.#left, chunk.length - at);
    this.#left -= taken;
    const contents = this.#left === 0 ? taken - 1 : taken;
    this.#sink.write(chunk.subarray(at, at + contents));
    if (this.#left === 0) this.#sink.end();
    return at + taken;
  }
}
