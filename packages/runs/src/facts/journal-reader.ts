import { DurableError } from "@quasar/durable";
import { type JournalPosition, readJournal } from "@quasar/durable/journal";
import { fileMark } from "./file-mark.ts";

/** What was read of a journal. */
export interface JournalRead<T> {
  /** What its records came to. */
  readonly value: T;
  /** Where it ended; `undefined`: nothing was read. */
  readonly end: JournalPosition | undefined;
  /** Damage, in words: what is behind it is not believed. */
  readonly problems: readonly string[];
}

/**
 * Reads a journal again and again to which others add. Each look reads what came since the one before; it gives the very
 * same object where the file has not changed. A journal that is another one by now, as after damage, is read from its
 * beginning; the end of one that is being written, or was torn by a crash, is not there yet.
 *
 * @param start - What no records come to.
 * @param fold - Adds the data of records, oldest first: in pieces the same as at once.
 */
export function journalReader<T>(
  path: string,
  start: T,
  fold: (value: T, data: readonly unknown[]) => T,
): () => JournalRead<T> {
  const nothing: JournalRead<T> = { value: start, end: undefined, problems: [] };
  let last = nothing;
  let lastMark = "";

  function readOn(before: JournalRead<T>): JournalRead<T> {
    try {
      const found = readJournal(path, { joins: true, from: before.end });
      if (found === undefined) return nothing;
      const { records, end, damage } = found;
      // What cannot be read there may be the middle of another journal.
      if (records.length === 0 && before.end !== undefined) return readOn(nothing);
      const value = fold(
        before.value,
        records.map(({ data }) => data),
      );
      const problems = damage === undefined ? [] : [damagedBy(damage)];
      return { value, end, problems };
    } catch (error) {
      if (!(error instanceof DurableError)) throw error;
      return { ...nothing, problems: [damagedBy(error)] };
    }
  }

  return () => {
    // Before it is read: what is added meanwhile is read by the next look.
    const mark = fileMark(path);
    if (mark === lastMark) return last;
    last = readOn(last);
    lastMark = mark;
    return last;
  };
}

function damagedBy({ message }: Pick<Error, "message">): string {
  return `the journal is damaged: ${message}`;
}
