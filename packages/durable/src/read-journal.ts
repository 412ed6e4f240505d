import { basename, dirname, resolve } from "node:path";
import { refuseLinkedDirectory } from "./directory.ts";
import { nodeFileSystem } from "./file-system.ts";
import type { DurableOptions, FileSystem } from "./file-system.ts";
import {
  JOURNAL_START,
  type JournalPosition,
  type JournalRecords,
  type LastRecord,
  parseJournal,
  parseLastRecord,
} from "./journal-format.ts";
import { generationName, listGenerations } from "./names.ts";
import { type FileTail, readFileTail } from "./read.ts";

export interface ReadJournalOptions extends DurableOptions {
  /** Where an earlier read of the same journal ended: only what came since is read. */
  readonly from?: JournalPosition | undefined;
  /** What it was opened with by who adds to it. @default false */
  readonly joins?: boolean | undefined;
  /** Larger journals are refused. @default 256 MiB */
  readonly maxBytes?: number | undefined;
}

export const MAX_JOURNAL_BYTES = 256 * 1024 * 1024;

/**
 * Reads a journal as far as its chain holds, also while somebody writes to it; changes nothing.
 * `undefined` where there is none.
 *
 * @throws {DurableError} `ERR_NOT_REGULAR`, `ERR_TOO_LARGE`, `ERR_UNSAFE_DIRECTORY`
 * @see SPEC.md, "Journal"
 */
export function readJournal(
  path: string,
  options: ReadJournalOptions = {},
): JournalRecords | undefined {
  const { fs = nodeFileSystem, from = JOURNAL_START, joins = false } = options;
  const file = resolve(path);
  refuseLinkedDirectory(fs, dirname(file));
  const tail = readJournalTail(fs, file, from.bytes, options.maxBytes);
  if (tail === undefined) return undefined;
  if (tail.size < from.bytes) {
    const seq = from.seq + 1;
    const message = `${basename(file)} has become shorter: what was read of it is no longer there`;
    const damage = { seq, bytes: tail.size, message };
    return { records: [], end: from, unfinished: 0, damage };
  }
  return parseJournal(tail.bytes, from, joins);
}

/**
 * The record that a journal ends in, also while somebody writes to it; `undefined` where it ends in none. The
 * chain to it is not followed: it is for who knows the hash that it should have.
 *
 * @throws {DurableError} as {@link readJournal}
 */
export function readLastRecord(
  path: string,
  { fs = nodeFileSystem, maxBytes }: Pick<ReadJournalOptions, "fs" | "maxBytes"> = {},
): LastRecord | undefined {
  const file = resolve(path);
  refuseLinkedDirectory(fs, dirname(file));
  const bytes = readJournalBytes(fs, file, maxBytes);
  return bytes && parseLastRecord(bytes);
}

/** The bytes of a journal, also where a crash has left only its second name. */
export function readJournalBytes(
  fs: FileSystem,
  file: string,
  maxBytes?: number,
): Uint8Array | undefined {
  return readJournalTail(fs, file, 0, maxBytes)?.bytes;
}

/** The same from a place on: no more is read. */
function readJournalTail(
  fs: FileSystem,
  file: string,
  from: number,
  maxBytes: number = MAX_JOURNAL_BYTES,
): FileTail | undefined {
  const numbers = listGenerations(fs, file).toReversed();
  for (const name of [file, ...numbers.map((number) => generationName(file, number))]) {
    const tail = readFileTail(name, from, { fs, maxBytes });
    if (tail !== undefined) return tail;
  }
  return undefined;
}
