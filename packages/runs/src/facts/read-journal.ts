import { join } from "node:path";
import { DurableError } from "@quasar/durable";
import { type JournalPosition, readJournal } from "@quasar/durable/journal";
import type { Fact } from "../journal/fact.ts";
import { isFact, JOURNAL_FILE } from "../journal/journal.ts";
import { fileMark } from "./file-mark.ts";
import { continueStory, NO_STORY, type Story } from "./story.ts";

/** What was read of a journal. */
export interface JournalRead {
  readonly story: Story;
  /** Where it ended; `undefined`: nothing was read. */
  readonly end: JournalPosition | undefined;
  /** What the file was when it was read. */
  readonly mark: string;
  /** Damage, in words; `undefined`: none. */
  readonly problem: string | undefined;
}

export const NOTHING_READ: JournalRead = {
  story: NO_STORY,
  end: undefined,
  mark: "",
  problem: undefined,
};

/** What these facts tell. */
export function tellingAll(facts: readonly Fact[]): JournalRead {
  return { ...NOTHING_READ, story: continueStory(NO_STORY, facts) };
}

/**
 * Reads what came since. A journal that is another one by now, as after damage, is read from its beginning; the end of one
 * that is being written, or was torn by a crash, is not there yet.
 *
 * @param dir - The run's folder.
 */
export function readOn(dir: string, before: JournalRead): JournalRead {
  const path = join(dir, JOURNAL_FILE);
  const mark = fileMark(path);
  if (mark !== "" && mark === before.mark) return before;
  try {
    const found = readJournal(path, { joins: true, from: before.end });
    if (found === undefined) return NOTHING_READ;
    const { records, end, damage } = found;
    if (damage !== undefined && before.end !== undefined) return readOn(dir, NOTHING_READ);
    const story = continueStory(before.story, records.map(({ data }) => data).filter(isFact));
    return { story, end, mark, problem: damage?.message };
  } catch (error) {
    if (!(error instanceof DurableError)) throw error;
    return { ...NOTHING_READ, mark, problem: error.message };
  }
}
