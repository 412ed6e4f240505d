import { createHash } from "node:crypto";

/** One record of a journal, as it stands in its line. */
export interface JournalRecord {
  /** Counts the records, from 1. */
  readonly seq: number;
  /** SHA-256 of the line before, in hex, without its end; 64 zeros in the first. */
  readonly prev: string;
  readonly data: unknown;
}

/** A place between two records, up to which a journal was read. */
export interface JournalPosition {
  /** From the beginning of the file. */
  readonly bytes: number;
  /** Of the record before it; 0 at the beginning. */
  readonly seq: number;
  /** SHA-256 of the line before it: what the next record names as `prev`. */
  readonly hash: string;
}

/** What breaks the chain: nothing behind it can be believed. */
export interface JournalDamage {
  /** Of the record that should be there. */
  readonly seq: number;
  /** Where its line begins. */
  readonly bytes: number;
  /** One sentence for a person, without anything that stands in the file. */
  readonly message: string;
}

/** The chain as far as it holds. */
export interface JournalRecords {
  readonly records: readonly JournalRecord[];
  /** Behind the last of them. */
  readonly end: JournalPosition;
  /**
   * Bytes of an end that is not whole: of a record that a writer is about to finish, or of what a crash
   * has torn of the records that were added since the last sync. They were never acknowledged.
   */
  readonly unfinished: number;
  readonly damage: JournalDamage | undefined;
}

export const JOURNAL_START: JournalPosition = { bytes: 0, seq: 0, hash: "0".repeat(64) };

const NEWLINE = 0x0a;
/** Begins the line of a record before which others were not synced yet: a crash may tear them all. */
const JOINED = 0x20;

/**
 * The bytes of a record that comes at a position, and the position behind it.
 *
 * @param isJoined - Whether the record before it is not synced.
 */
export function encodeRecord(
  at: JournalPosition,
  data: unknown,
  isJoined: boolean,
): { readonly bytes: Uint8Array; readonly end: JournalPosition } {
  if (JSON.stringify(data) === undefined) throw new TypeError("this cannot be written as JSON");
  const record: JournalRecord = { seq: at.seq + 1, prev: at.hash, data };
  const mark = isJoined ? String.fromCodePoint(JOINED) : "";
  const line = Buffer.from(mark + JSON.stringify(record));
  const end = { bytes: at.bytes + line.length + 1, seq: record.seq, hash: sha256(line) };
  return { bytes: Buffer.concat([line, Uint8Array.of(NEWLINE)]), end };
}

/**
 * Follows the chain from a position on.
 *
 * A last line that is no record is `unfinished`, whether or not it has an end: a crash can tear it anywhere. Where
 * records are joined, so is what is behind a break in the chain among those that were added since the last sync.
 * Everything else that breaks the chain is damage. Where a record does not name the one before it, that one is not
 * believed either.
 *
 * @param bytes - The file's, from the position on.
 * @param joins - Whether records may be joined to those before them.
 */
export function parseJournal(
  bytes: Uint8Array,
  from: JournalPosition,
  joins: boolean,
): JournalRecords {
  const records: JournalRecord[] = [];
  let before = from;
  let end = from;
  const damaged = (at: JournalPosition, problem: string): JournalRecords => {
    const seq = at.seq + 1;
    const message = `record ${seq} at byte ${at.bytes} is damaged: ${problem}`;
    return { records, end: at, unfinished: 0, damage: { seq, bytes: at.bytes, message } };
  };
  const torn = (at: JournalPosition): JournalRecords => {
    const unfinished = from.bytes + bytes.length - at.bytes;
    return { records, end: at, unfinished, damage: undefined };
  };
  for (let at = 0; at < bytes.length; at = end.bytes - from.bytes) {
    const line = lineAt(bytes, at);
    const record = line && parseLine(line);
    if (line === undefined || record === undefined) {
      const isTorn = joins ? !isSyncedBehind(bytes, at) : isLast(bytes, at);
      return isTorn ? torn(end) : damaged(end, "it is no record");
    }
    if (record.seq !== end.seq + 1) return damaged(end, "another record is in its place");
    if (record.prev !== end.hash) {
      records.pop();
      const isTorn = joins && line[0] === JOINED && !isSyncedBehind(bytes, at);
      return isTorn ? torn(before) : damaged(before, "the record after it does not name it");
    }
    records.push(record);
    before = end;
    end = { bytes: end.bytes + line.length + 1, seq: record.seq, hash: sha256(line) };
  }
  return { records, end, unfinished: 0, damage: undefined };
}

/** The last record of a journal, and the SHA-256 of its line. */
export interface LastRecord {
  readonly record: JournalRecord;
  readonly hash: string;
}

/** The record that the bytes end in; `undefined` where they end in none. The chain to it is not followed. */
export function parseLastRecord(bytes: Uint8Array): LastRecord | undefined {
  const line = lineAt(bytes, bytes.lastIndexOf(NEWLINE, -2) + 1);
  const record = line && parseLine(line);
  return line && record && { record, hash: sha256(line) };
}

/** Whether behind the line at a place a record was added when all before it was synced. */
function isSyncedBehind(bytes: Uint8Array, place: number): boolean {
  let at = place;
  for (let line = lineAt(bytes, at); line !== undefined; line = lineAt(bytes, at)) {
    if (at > place && line[0] !== JOINED && parseLine(line) !== undefined) return true;
    at += line.length + 1;
  }
  return false;
}

function isLast(bytes: Uint8Array, at: number): boolean {
  const line = lineAt(bytes, at);
  return line === undefined || at + line.length + 1 === bytes.length;
}

/** Without its end; `undefined` where it has none. */
function lineAt(bytes: Uint8Array, at: number): Uint8Array | undefined {
  const newline = bytes.indexOf(NEWLINE, at);
  return newline < 0 ? undefined : bytes.subarray(at, newline);
}

const KEYS = "seq,prev,data";

function parseLine(line: Uint8Array): JournalRecord | undefined {
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(line);
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isRecord(value: unknown): value is JournalRecord {
  return typeof value === "object" && value !== null && Object.keys(value).join() === KEYS;
}

function sha256(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}
