import { constants } from "node:fs";
import { dirname, resolve } from "node:path";
import { changeDirectory } from "./directory.ts";
import { DurableError } from "./errors.ts";
import type { DurableOptions, FileSystem } from "./file-system.ts";
import { nodeFileSystem } from "./file-system.ts";
import {
  encodeRecord,
  JOURNAL_START,
  type JournalPosition,
  type JournalRecord,
  parseJournal,
} from "./journal-format.ts";
import { readJournalBytes } from "./read-journal.ts";
import { acknowledge, replaceFile } from "./replace.ts";
import { linkAside } from "./quarantine.ts";
import { writeAll } from "./temporary.ts";

export interface OpenJournalOptions extends DurableOptions {
  /** The longest record's line that is written, in bytes. @default 64 KiB */
  readonly maxRecordBytes?: number | undefined;
  /**
   * Whether what is added need not be synced before more is added: a crash may tear all that was added since the last
   * sync, and several spoilt lines at the end are taken for that. Its readers have to say so, too. @default false
   */
  readonly joins?: boolean | undefined;
  /** The time in the name of what is quarantined. @default the system's clock */
  readonly now?: (() => Date) | undefined;
}

/** A file to which records are only ever added, each naming the one before it. */
export interface Journal {
  /** What was there when it was opened, oldest first. */
  readonly records: readonly JournalRecord[];
  /** Where the torn end of a crash was quarantined when it was opened; `undefined` where there was none. */
  readonly asidePath: string | undefined;
  /** Behind the last record. */
  readonly end: JournalPosition;
  /**
   * Adds a record and returns once a power cut cannot take it. One flush.
   *
   * @param data - Anything that JSON can hold.
   * @throws {DurableError} `ERR_TOO_LARGE`: nothing was written. `ERR_NOT_DURABLE`: the record, and what was added
   *   before it without a sync, is not in the journal; the next one can be added, where the disk allows it.
   */
  append(data: unknown): JournalRecord;
  /**
   * Adds a record that others can read at once, and that a power cut may take until `sync` or `append`. No flush where
   * records are joined; else one if the record before it was added so, too.
   *
   * @param data - Anything that JSON can hold.
   * @throws {DurableError} `ERR_TOO_LARGE`: nothing was written. `ERR_NOT_DURABLE`: the record is not in the journal.
   */
  add(data: unknown): JournalRecord;
  /**
   * Returns once a power cut cannot take what was added. One flush; none where nothing was.
   *
   * @throws {DurableError} `ERR_NOT_DURABLE`: what was added since the last one is not in the journal.
   */
  sync(): void;
  /** Nothing can be added any more. Need not be called before the process ends. */
  close(): void;
}

/**
 * Opens a journal to add to it, and creates it (0600) where there is none. To be called by one process
 * at a time: hold a lock.
 *
 * What is there is on disk when it returns. A torn end is taken out after the whole file was given a
 * second name, `<path>.damaged-<time>`.
 *
 * @throws {DurableError} `ERR_DAMAGED` where the chain is broken before its end: `quarantine` it and
 *   open a new one. `ERR_NOT_DURABLE`, `ERR_NOT_REGULAR`, `ERR_TOO_LARGE`, `ERR_UNSAFE_DIRECTORY`
 * @see SPEC.md, "Journal"
 */
export function openJournal(path: string, options: OpenJournalOptions = {}): Journal {
  const { fs = nodeFileSystem, maxRecordBytes = 64 * 1024, joins = false } = options;
  const { now = () => new Date() } = options;
  const file = resolve(path);
  let fd: number | undefined;
  let isClosed = false;
  let asidePath: string | undefined;

  const closeFile = (): void => {
    const open = fd;
    fd = undefined;
    if (open !== undefined) fs.close(open);
  };
  /** Copies what is valid to a new file: the old one cannot be added to any more. */
  const renew = (prefix: Uint8Array): string | undefined => {
    closeFile();
    const aside = keepAside(fs, file, now());
    replaceFile(file, prefix, options);
    return aside;
  };

  const bytes = readJournalBytes(fs, file);
  const found = parseJournal(bytes ?? new Uint8Array(), JOURNAL_START, joins);
  if (found.damage !== undefined) {
    throw new DurableError("ERR_DAMAGED", `${path}: ${found.damage.message}`);
  }
  let { end } = found;
  /** Behind the last record that is on disk. */
  let synced = end;
  acknowledge(`${path} was not opened`, file, () => {
    const isWhole = found.unfinished === 0 && fs.lstat(file) !== undefined;
    if (bytes !== undefined && !isWhole) asidePath = renew(bytes.subarray(0, end.bytes));
    fd = openAt(fs, file, end.bytes);
  });

  return {
    records: found.records,
    asidePath,
    get end() {
      return end;
    },
    append(data) {
      const record = add(data);
      sync();
      return record;
    },
    add,
    sync,
    close() {
      isClosed = true;
      closeFile();
    },
  };

  function add(data: unknown): JournalRecord {
    if (isClosed) throw new Error("the journal is closed");
    const next = encodeRecord(end, data, joins && synced.bytes !== end.bytes);
    if (next.bytes.length > maxRecordBytes) {
      const message = `a record has ${next.bytes.length} bytes, ${maxRecordBytes} are allowed`;
      throw new DurableError("ERR_TOO_LARGE", message);
    }
    if (!joins) sync();
    change(end, (open) => writeAll(fs, open, next.bytes));
    const record = { seq: next.end.seq, prev: end.hash, data };
    end = next.end;
    return record;
  }

  function sync(): void {
    if (synced.bytes === end.bytes) return;
    change(synced, (open) => fs.fsync(open));
    synced = end;
  }

  /** @param kept - What is in the journal after a failure: what is on disk of the rest will never be known. */
  function change(kept: JournalPosition, work: (open: number) => void): void {
    acknowledge(`${path} was not added to`, file, () => {
      fd ??= reopen();
      try {
        work(fd);
      } catch (error) {
        end = kept;
        closeAfter(error);
        throw error;
      }
    });
  }

  function reopen(): number {
    const valid = readJournalBytes(fs, file)?.subarray(0, end.bytes);
    if (valid === undefined || valid.length < end.bytes) {
      throw new DurableError("ERR_DAMAGED", `${path} has become shorter`);
    }
    renew(valid);
    const open = openAt(fs, file, end.bytes);
    synced = end;
    return open;
  }

  /** Takes the records out again at once, so that nobody reads what may not be on disk. */
  function closeAfter(reason: unknown): void {
    try {
      closeFile();
      fd = reopen();
    } catch (error) {
      if (reason instanceof Error) reason.cause ??= error;
    }
  }
}

function keepAside(fs: FileSystem, file: string, now: Date): string | undefined {
  let aside: string | undefined;
  changeDirectory(fs, dirname(file), (directory) => {
    if (fs.lstat(file) === undefined) return;
    aside = linkAside(fs, file, now);
    fs.fsync(directory);
  });
  return aside;
}

/** Opens a file at the end of what is valid in it, with that and its name on disk. */
function openAt(fs: FileSystem, file: string, position: number): number {
  const { O_RDWR, O_CREAT, O_APPEND, O_NOFOLLOW, O_NONBLOCK } = constants;
  let opened: number | undefined;
  changeDirectory(fs, dirname(file), (directory) => {
    const fd = fs.open(file, O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK, 0o600);
    try {
      const { kind, size } = fs.fstat(fd);
      if (kind !== "file") throw new DurableError("ERR_NOT_REGULAR", `${file} is no file`);
      if (size !== position) throw new DurableError("ERR_LOCKED", `${file} is written by another`);
      skip(fs, fd, position);
      fs.fsync(fd);
      fs.fsync(directory);
    } catch (error) {
      fs.close(fd);
      throw error;
    }
    opened = fd;
  });
  if (opened === undefined) throw new Error("the folder was not opened");
  return opened;
}

/** Reads up to a position, so that the next write comes there, however the file system counts. */
function skip(fs: FileSystem, fd: number, position: number): void {
  const bytes = new Uint8Array(Math.min(position, 64 * 1024));
  for (let at = 0; at < position; ) {
    const count = fs.read(fd, bytes, 0, Math.min(bytes.length, position - at));
    if (count === 0) return;
    at += count;
  }
}
