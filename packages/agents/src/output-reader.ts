import { closeSync, fstatSync, readSync } from "node:fs";
import { createCollector } from "./collect.ts";
import { createBatchSplitter } from "./line-splitter.ts";
import {
  MAX_SECTION_HEAD,
  parseSectionHead,
  partEnding,
  type SectionHead,
} from "./output-layout.ts";
import { openTurnFile, type TurnFiles } from "./turn-files.ts";

/** Who reads a turn's output. */
export interface OutputListener {
  /** Told lines as they were read together: one at least. */
  readonly onLines: (lines: readonly string[]) => unknown;
  /** Lines are missing here. @param units - UTF-16 units, line breaks included. @default nothing */
  readonly onOmitted?: ((units: number) => unknown) | undefined;
}

/** Reads a turn's output on from where it was, line by line. */
export interface OutputReader {
  /** Reads a chunk. @returns Whether there is more. */
  readOn(): boolean;
  /** How many bytes there were, of which some may be omitted. */
  size(): number;
  close(): void;
}

const CHUNK_BYTES = 2 ** 18;
/** How much is read between two collections. */
const COLLECT_BYTES = 4 * 2 ** 20;
/** More than any limit lets a supervisor write as one line. */
const MAX_LINE_BYTES = 256 * 2 ** 20;

/** What is read of a file, from `at` on. */
interface Source {
  readonly fd: number;
  at: number;
  /** `undefined`: as far as the file goes. */
  readonly end: number | undefined;
  /** `undefined`: what is read is all that there was. */
  readonly section: SectionHead | undefined;
}

/** @returns `undefined`: no agent was ever started. */
export function openOutput(
  files: TurnFiles,
  { onLines, onOmitted = () => undefined }: OutputListener,
): OutputReader | undefined {
  const out = openTurnFile(files.path("out"));
  if (out === undefined) return undefined;
  const lines = createBatchSplitter(MAX_LINE_BYTES, onLines);
  const chunk = Buffer.allocUnsafeSlow(CHUNK_BYTES);
  const collect = createCollector(COLLECT_BYTES);
  let source: Source = { fd: out, at: 0, end: undefined, section: undefined };
  let following: Source | undefined;
  let [part, size] = [0, 0];
  let middle: { readonly fd: number; at: number } | undefined;

  const sectionOf = (wanted: number): Source | undefined => {
    const fd = middle?.fd ?? openTurnFile(files.path("middle"));
    if (fd === undefined) return undefined;
    middle ??= { fd, at: 0 };
    for (;;) {
      const found = sectionAt(fd, middle.at);
      if (found === undefined || found.section.part > wanted) return undefined;
      middle.at = found.end;
      if (found.section.part === wanted) return { fd, ...found };
    }
  };
  /** A part that has gone was reduced before: its section is searched for after it. */
  const partOf = (wanted: number): Source | undefined => {
    const fd = openTurnFile(files.path(partEnding(wanted)));
    return fd === undefined ? sectionOf(wanted) : { fd, at: 0, end: undefined, section: undefined };
  };
  const leave = ({ fd, section }: Source): void => {
    if (section !== undefined) size += section.partBytes;
    if (fd !== middle?.fd) closeSync(fd);
  };
  return {
    readOn() {
      const { fd, at, end = Number.POSITIVE_INFINITY } = source;
      const read = readSync(fd, chunk, 0, Math.min(chunk.length, end - at), at);
      if (read > 0) {
        source.at += read;
        if (source.section === undefined) size += read;
        lines.push(chunk.subarray(0, read));
        collect(read);
        return true;
      }
      // What was written before the next part was begun is there now.
      const isComplete = following !== undefined;
      following ??= partOf(part + 1);
      if (following === undefined) return false;
      if (!isComplete) return true;
      lines.end();
      leave(source);
      [source, following, part] = [following, undefined, part + 1];
      if (source.section !== undefined) onOmitted(source.section.omitted);
      return true;
    },
    size: () => size + (isAtEnd(source) ? (source.section?.partBytes ?? 0) : 0),
    close() {
      for (const fd of new Set([source.fd, following?.fd, middle?.fd])) {
        if (fd !== undefined) closeSync(fd);
      }
    },
  };
}

const isAtEnd = ({ at, end }: Source): boolean => at === end;

/** `undefined`: none begins there that is whole. */
function sectionAt(
  fd: number,
  from: number,
): (Pick<Source, "at"> & { readonly end: number; readonly section: SectionHead }) | undefined {
  const bytes = Buffer.allocUnsafe(MAX_SECTION_HEAD);
  const length = readSync(fd, bytes, 0, bytes.length, from);
  const end = bytes.subarray(0, length).indexOf(10);
  const section = end < 0 ? undefined : parseSectionHead(bytes.toString("utf8", 0, end));
  if (section === undefined) return undefined;
  const at = from + end + 1;
  const isWhole = fstatSync(fd).size >= at + section.bytes;
  return isWhole ? { at, end: at + section.bytes, section } : undefined;
}
