import { join } from "node:path";
import { DurableError, type FileSystem, type Random } from "@quasar/durable";
import {
  type Journal,
  type JournalRecord,
  openJournal,
  readJournal,
  readLastRecord,
} from "@quasar/durable/journal";
import { HookFileError } from "../errors.ts";
import {
  decodeEntry,
  encodeEntry,
  type HistoryEntry,
  type HistoryRecord,
  isSameHead,
  MAX_RECORD_BYTES,
} from "./history-record.ts";
import { isOtherVersion } from "./hook-codec.ts";
import type { HistoryHead } from "./hook-file.ts";

const ROLL_BYTES = 128 * 1024;
const MAX_FILE_BYTES = ROLL_BYTES + 2 * MAX_RECORD_BYTES;

/** What came after a place, and where the next record goes. */
export interface Continuation {
  readonly records: readonly HistoryRecord[];
  readonly isTorn: boolean;
  /** Why the history does not continue from that place as it should. */
  readonly damage: string | undefined;
  /** The number of the file for the next record. */
  readonly tail: number;
}

/** What a reading of everything meets, in order. */
export type HistoryItem =
  | { readonly kind: "record"; readonly record: HistoryRecord }
  /** `isKnown`: the record after it says so itself. */
  | { readonly kind: "break"; readonly message: string; readonly isKnown: boolean };

export interface HistoryFiles {
  /** The files as they are now; each is read once. */
  view(): HistoryView;
  /** The same, but where everything ends at the place that is asked for, what is before it is not looked at. */
  viewFromEnd(): HistoryView;
  /** Everything, oldest first. */
  all(): Iterable<HistoryItem>;
  /** The number of the newest file; 0 where there is none. */
  newest(): number;
  /** Makes sure that the file `tail` is on disk, and takes its torn end out. */
  settle(tail: number): void;
  /**
   * Adds a record to the file `tail`, or to the next one where that is full. Returns once a power cut
   * cannot take it.
   *
   * @param before - The record before it; `undefined` for the first of all.
   */
  append(entry: HistoryEntry, tail: number, before: HistoryHead | undefined): HistoryHead;
}

export interface HistoryView {
  /** The record at a place; `undefined` where there is none, or another one. */
  at(head: HistoryHead): HistoryRecord | undefined;
  after(head: HistoryHead): Continuation;
}

export interface HistoryFilesOptions {
  readonly fs: FileSystem;
  readonly random?: Random | undefined;
  readonly now: () => Date;
  /** A file of this size is added to no more: an update reads the newest one whole. @default 128 KiB */
  readonly rollBytes?: number | undefined;
}

/**
 * The files `<n>.jsonl` of a folder, which are one chain: each is a journal, and its first record
 * names the record before it. To be added to under a lock.
 *
 * @see SPEC.md, "History"
 */
export function createHistoryFiles(dir: string, options: HistoryFilesOptions): HistoryFiles {
  const { fs, rollBytes = ROLL_BYTES } = options;
  const pathOf = (number: number): string => join(dir, historyFileName(number));

  function read(number: number): JournalFile {
    const found = attempt(() => readJournal(pathOf(number), { fs, maxBytes: MAX_FILE_BYTES }));
    if (typeof found === "string") return { ...EMPTY, damage: found };
    if (found === undefined) return EMPTY;
    const { records, end, unfinished } = found;
    const damage = found.damage && `${historyFileName(number)}: ${found.damage.message}`;
    return { number, records, end: end.hash, isTorn: unfinished > 0, damage };
  }

  /** Of all files, also of one that a crash has left under its second name only; in order. */
  function numbers(): readonly number[] {
    if (fs.lstat(dir) === undefined) return [];
    const found = fs.readdir(dir).map((name) => Number(NAME.exec(name)?.[1] ?? 0));
    return [...new Set(found)].filter((number) => number > 0).toSorted((a, b) => a - b);
  }

  function view(): HistoryView {
    const files = new Map<number, JournalFile>();
    const readOnce = (number: number): JournalFile => {
      const file = files.get(number) ?? read(number);
      files.set(number, file);
      return file;
    };
    return {
      at: (head) =>
        isAt(readOnce(head.file), head)
          ? decode(readOnce(head.file), head.record - 1).records[0]
          : undefined,
      after: (head) => follow(head, readOnce, numbers()),
    };
  }

  function viewFromEnd(): HistoryView {
    const whole = view();
    const number = newest();
    const last = attempt(() => readLastRecord(pathOf(number), { fs, maxBytes: MAX_FILE_BYTES }));
    if (last === undefined || typeof last === "string") return whole;
    const { record, hash } = last;
    const end = { file: number, record: record.seq, sha256: hash };
    const none: Continuation = { records: [], isTorn: false, damage: undefined, tail: number };
    return {
      at(head) {
        if (!isSameHead(head, end)) return whole.at(head);
        const found = decodeRecord(record, end);
        return typeof found === "string" ? undefined : found;
      },
      after: (head) => (isSameHead(head, end) ? none : whole.after(head)),
    };
  }

  const newest = (): number => numbers().at(-1) ?? 0;

  const journalOf = (number: number): Journal =>
    openJournal(pathOf(number), { ...options, maxRecordBytes: MAX_RECORD_BYTES });

  return {
    view,
    viewFromEnd,

    *all() {
      let before: HistoryHead | undefined;
      let trouble: string | undefined;
      for (const number of numbers()) {
        const { records, damage } = decode(read(number), 0);
        const [first] = records;
        if (first !== undefined && !isSameHead(first.continues, before)) {
          trouble ??= `${historyFileName(number)} does not continue the file before it`;
        }
        if (first !== undefined && trouble !== undefined) {
          yield { kind: "break", message: trouble, isKnown: first.problem !== undefined };
          trouble = undefined;
        }
        for (const record of records) yield { kind: "record", record };
        before = records.at(-1)?.head ?? before;
        trouble ??= damage;
      }
      if (trouble !== undefined) yield { kind: "break", message: trouble, isKnown: false };
    },

    newest,

    settle: (tail) => journalOf(tail).close(),

    append(entry, tail, before) {
      let file = tail;
      let journal = journalOf(file);
      try {
        if (journal.end.bytes >= rollBytes) {
          journal.close();
          file += 1;
          journal = journalOf(file);
        }
        const isFirst = journal.end.seq === 0;
        const continues = isFirst ? before : undefined;
        journal.append(encodeEntry({ ...entry, continues }));
        return { file, record: journal.end.seq, sha256: journal.end.hash };
      } finally {
        journal.close();
      }
    },
  };
}

const NAME = /^([1-9]\d{0,14})\.jsonl(?:\.\d+\.prev)?$/;

export function historyFileName(number: number): string {
  return `${number}.jsonl`;
}

/** One file of the history, as a journal. */
interface JournalFile {
  readonly number: number;
  readonly records: readonly JournalRecord[];
  /** Of the last record's line. */
  readonly end: string;
  /** Whether it ends in a record that was never finished. */
  readonly isTorn: boolean;
  readonly damage: string | undefined;
}

const EMPTY: JournalFile = { number: 0, records: [], end: "", isTorn: false, damage: undefined };

/** Of a record's line, which only the next record or the end of the file names. */
function sha256At(file: JournalFile, record: number): string | undefined {
  return record === file.records.length ? file.end : file.records[record]?.prev;
}

function isAt(file: JournalFile, head: HistoryHead): boolean {
  return sha256At(file, head.record) === head.sha256;
}

/** The records of a file, but for the first so many, as far as they can be believed. */
function decode(file: JournalFile, skipped: number): Pick<Continuation, "records" | "damage"> {
  const records: HistoryRecord[] = [];
  for (const record of file.records.slice(skipped)) {
    const sha256 = sha256At(file, record.seq) ?? "";
    const found = decodeRecord(record, { file: file.number, record: record.seq, sha256 });
    if (typeof found === "string") return { records, damage: found };
    records.push(found);
  }
  return { records, damage: file.damage };
}

/** A record at its place, or why it cannot be believed. */
function decodeRecord({ data }: JournalRecord, head: HistoryHead): HistoryRecord | string {
  try {
    return { ...decodeEntry(data), head };
  } catch (error) {
    if (!(error instanceof HookFileError) || isOtherVersion(error)) throw error;
    return `${historyFileName(head.file)}: record ${head.record}: ${error.message}`;
  }
}

/**
 * What comes after a place: in its file, and in each next one that names where the one before it
 * ended. A later file that continues from there outweighs what is wrong with those between.
 */
function follow(
  head: HistoryHead,
  read: (number: number) => JournalFile,
  numbers: readonly number[],
): Continuation {
  const name = historyFileName(head.file);
  const records: HistoryRecord[] = [];
  const file = read(head.file);
  let { isTorn, damage } = file;
  if (isAt(file, head)) {
    const found = decode(file, head.record);
    records.push(...found.records);
    damage = found.damage;
  } else {
    damage ??= `${name} lacks record ${head.record}, after which hook.json was written`;
  }
  let tail = head.file;
  let isUsable = damage === undefined;
  for (tail of numbers.filter((number) => number > head.file)) {
    const next = read(tail);
    const found = decode(next, 0);
    const [first] = found.records;
    isTorn = next.isTorn;
    isUsable = found.damage === undefined;
    if (first === undefined) {
      damage ??= found.damage;
    } else if (isSameHead(first.continues, records.at(-1)?.head ?? head)) {
      records.push(...found.records);
      damage = found.damage;
    } else {
      damage ??= `${historyFileName(tail)} does not continue the file before it`;
      isUsable = false;
    }
  }
  return { records, isTorn, damage, tail: isUsable ? tail : tail + 1 };
}

/** What cannot be read now, and will not be later, is told as damage. */
function attempt<T>(read: () => T): T | string {
  try {
    return read();
  } catch (error) {
    const isIo = error instanceof Error && "code" in error && error.code === "EIO";
    const isOdd = error instanceof DurableError && error.code !== "ERR_UNSAFE_DIRECTORY";
    if (isIo || isOdd) return error.message;
    throw error;
  }
}
