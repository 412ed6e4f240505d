import * as fs from "node:fs";
import { isFullDisk } from "@quasar/process/files";
import { createLineSplitter } from "./line-splitter.ts";
import { type OutputSizes, partEnding, type SectionHead } from "./output-layout.ts";
import { MOST_LATE_BYTES } from "./spare-room.ts";
import { createFile, replaceBy, syncFolder, writeAll } from "./turn-writes.ts";

/** What of a line decides how its turn ended and what it cost, as a line; `undefined`: nothing. */
export type Reducer = (line: string) => string | undefined;

export interface OutputStoreOptions {
  readonly sizes: OutputSizes;
  /** Path of the turn's file with the given ending. */
  readonly path: (ending: string) => string;
  /** The descriptor of `.out`, which is empty. */
  readonly out: number;
  /** `undefined`: it is not known yet; until then more is kept. */
  readonly reducer: () => Reducer | undefined;
}

/** Keeps a turn's standard output, its beginning and its end, in files. */
export interface OutputStore {
  /**
   * Where the disk is full, 64 KiB wait for {@link addLate}.
   *
   * @returns `false`: what decides of it is more than is kept.
   * @throws what the system does, where more is to wait.
   */
  add(lines: readonly string[]): boolean;
  /** Writes what has waited. */
  addLate(): void;
  /** All that was added, in bytes. */
  bytes(): number;
  /** How many bytes of it are not kept. */
  omitted(): number;
  /** The file that is being written. */
  current(): number;
  /** Creates anew what is not there any more. The folder has to be. */
  restore(): void;
}

interface OutputFile {
  readonly ending: string;
  readonly fd: number;
  bytes: number;
  /** UTF-16 units. */
  units: number;
}

const CHUNK_BYTES = 2 ** 18;

export function createOutputStore(options: OutputStoreOptions): OutputStore {
  const { sizes, path, out, reducer } = options;
  const head: OutputFile = { ending: "out", fd: out, bytes: 0, units: 0 };
  const parts: OutputFile[] = [];
  let current = head;
  let middle: OutputFile | undefined;
  let [begun, total, omitted] = [0, 0, 0];
  let line = Buffer.alloc(0);
  let late: (readonly string[])[] = [];
  let lateBytes = 0;
  let full: unknown;

  const write = (to: OutputFile, text: string): void => {
    const size = Buffer.byteLength(text) + 1;
    if (line.length < size) line = Buffer.allocUnsafeSlow(size + (size >> 2));
    line[line.write(text)] = 10;
    try {
      writeAll(to.fd, line.subarray(0, size));
    } catch (error) {
      // Half of it may be there.
      if (isFullDisk(error)) fs.ftruncateSync(to.fd, to.bytes);
      throw error;
    }
    to.bytes += size;
    to.units += text.length + 1;
  };
  /** Where it cannot be done, as the agent has removed the folder, the file before grows on. */
  const beginPart = (): void => {
    const ending = partEnding(begun + 1);
    fs.fsyncSync(current.fd);
    const fd = tryToCreate(path(ending));
    if (fd === undefined) return;
    begun += 1;
    current = { ending, fd, bytes: 0, units: 0 };
    parts.push(current);
    syncFolder(path(ending));
  };
  const reduced = ({ fd }: OutputFile, reduce: Reducer): string[] => {
    const kept: string[] = [];
    const lines = createLineSplitter(Number.POSITIVE_INFINITY, (each) => {
      const rest = reduce(each);
      if (rest !== undefined) kept.push(rest);
    });
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
    for (let at = 0; ; ) {
      const size = fs.readSync(fd, chunk, 0, chunk.length, at);
      if (size === 0) return kept;
      lines.push(chunk.subarray(0, size));
      at += size;
    }
  };
  /** The part goes when its section is on disk: who reads meanwhile finds one or the other. */
  const reduceFirst = (reduce: Reducer): boolean => {
    const [first] = parts;
    if (first === undefined) return false;
    const isNew = middle === undefined;
    if (middle === undefined) {
      const fd = tryToCreate(path("middle"));
      if (fd === undefined) return false;
      middle = { ending: "middle", fd, bytes: 0, units: 0 };
    }
    const lines = reduced(first, reduce)
      .map((each) => `${each}\n`)
      .join("");
    const bytes = Buffer.byteLength(lines);
    const section: SectionHead = {
      part: begun - parts.length + 1,
      partBytes: first.bytes,
      omitted: Math.max(0, first.units - lines.length),
      bytes,
    };
    write(middle, `${JSON.stringify(section)}\n${lines}`.slice(0, -1));
    fs.fsyncSync(middle.fd);
    if (isNew) syncFolder(path("middle"));
    fs.rmSync(path(first.ending), { force: true });
    fs.closeSync(first.fd);
    parts.shift();
    omitted += Math.max(0, first.bytes - bytes);
    return true;
  };
  const wait = (lines: readonly string[], size: number): void => {
    late.push(lines);
    lateBytes += size;
    if (lateBytes > MOST_LATE_BYTES) throw full;
  };
  /** Lines that fit into a file are written at once; where they do not, as many of them as fit. */
  const add = (lines: readonly string[]): void => {
    const text = lines.join("\n");
    const added = Buffer.byteLength(text) + 1;
    if (late.length > 0) return wait(lines, added);
    const most = current === head ? sizes.head : sizes.part;
    const fits = current.bytes + added <= most;
    if (!fits && lines.length > 1) {
      const half = lines.length >> 1;
      add(lines.slice(0, half));
      add(lines.slice(half));
      return;
    }
    if (!fits && current.bytes > 0) beginPart();
    try {
      write(current, text);
    } catch (error) {
      if (!isFullDisk(error)) throw error;
      full = error;
      return wait(lines, added);
    }
    total += added;
    while (parts.length > sizes.parts) {
      const reduce = reducer();
      if (reduce === undefined || !reduceFirst(reduce)) break;
    }
  };
  return {
    add(lines) {
      add(lines);
      return (middle?.bytes ?? 0) <= sizes.middle;
    },
    addLate() {
      const waiting = late;
      [late, lateBytes] = [[], 0];
      for (const lines of waiting) add(lines);
      if (late.length > 0) throw full;
    },
    bytes: () => total,
    omitted: () => omitted,
    current: () => current.fd,
    restore() {
      for (const { ending, fd } of [head, ...(middle === undefined ? [] : [middle]), ...parts]) {
        if (!fs.existsSync(path(ending))) replaceBy(path(ending), fd);
      }
      syncFolder(path("out"));
    },
  };
}

/** `undefined` where the folder has gone, or something is in the way that is no file. */
function tryToCreate(path: string): number | undefined {
  try {
    fs.rmSync(path, { force: true });
    return createFile(path);
  } catch {
    return undefined;
  }
}
