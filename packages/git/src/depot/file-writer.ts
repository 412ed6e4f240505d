import { closeSync, openSync, writeSync } from "node:fs";
import type { BlobSink } from "../landing/blob-batch.ts";
import type { TreeEntry } from "./folder-tree.ts";

/** Writes new files one after the other, in the order in which their contents come. What fails aborts, with the error. */
export class FileWriter implements BlobSink {
  readonly #files: readonly TreeEntry[];
  readonly #placeOf: (path: string) => Buffer;
  readonly #failed: AbortController;
  #next = 0;
  #written = 0;
  #fd: number | undefined;

  constructor(
    files: readonly TreeEntry[],
    placeOf: (path: string) => Buffer,
    failed: AbortController,
  ) {
    this.#files = files;
    this.#placeOf = placeOf;
    this.#failed = failed;
  }

  get isDone(): boolean {
    return this.#next === this.#files.length && this.#fd === undefined;
  }

  write(chunk: Buffer): void {
    this.#attempt(() => {
      const { fd, size } = this.#open();
      this.#written += chunk.length;
      if (this.#written > size) throw new Error("a file is longer than its tree says");
      for (let at = 0; at < chunk.length; ) at += writeSync(fd, chunk, at);
    });
  }

  end(): void {
    this.#attempt(() => {
      const { size } = this.#open();
      if (this.#written !== size) throw new Error("a file is shorter than its tree says");
      this.close();
      this.#written = 0;
      this.#next += 1;
    });
  }

  close(): void {
    if (this.#fd !== undefined) closeSync(this.#fd);
    this.#fd = undefined;
  }

  #open(): { readonly fd: number; readonly size: number } {
    const file = this.#files[this.#next];
    if (file === undefined) throw new Error("git gave more files than were asked for");
    this.#fd ??= openSync(this.#placeOf(file.path), "wx", 0o600);
    return { fd: this.#fd, size: file.size };
  }

  #attempt(act: () => void): void {
    if (this.#failed.signal.aborted) return;
    try {
      act();
    } catch (error) {
      this.#failed.abort(error);
    }
  }
}
