import { DurableError } from "@quasar/durable";
import { type JournalPosition, readJournal } from "@quasar/durable/journal";
import { fileMark } from "@quasar/runs/internal";
import type { NebulaHome } from "../state/home.ts";
import { missingEvents, type RecentEvents } from "../state/recent-events.ts";
import { continueStory, NO_STORY, type NebulaStory } from "./story.ts";

/** What was read of a journal. */
export interface ReadStory {
  readonly story: NebulaStory;
  /** Where it ended; `undefined`: nothing was read. */
  readonly end: JournalPosition | undefined;
  /** What the file was when it was read. */
  readonly mark: string;
  /** Damage, in words: what is behind it is not believed. */
  readonly problems: readonly string[];
}

export const NOTHING_READ: ReadStory = { story: NO_STORY, end: undefined, mark: "", problems: [] };

/**
 * Reads what came since. A journal that is another one by now is read from its beginning; the end of one that is being
 * written, or was torn by a crash, is not there yet.
 */
export function readOn(home: Pick<NebulaHome, "journal">, before: ReadStory): ReadStory {
  // Before it is read: what is added meanwhile is read by the next look.
  const mark = fileMark(home.journal);
  if (mark === before.mark) return before;
  try {
    const found = readJournal(home.journal, { from: before.end, joins: true });
    if (found === undefined) return NOTHING_READ;
    const { records, end, damage } = found;
    // What cannot be read there may be the middle of another journal.
    if (records.length === 0 && before.end !== undefined) return readOn(home, NOTHING_READ);
    const data = records.map((record) => record.data);
    const problems = damage === undefined ? [] : [`the journal is damaged: ${damage.message}`];
    return { story: continueStory(before.story, data), end, mark, problems };
  } catch (error) {
    if (!(error instanceof DurableError)) throw error;
    return { ...NOTHING_READ, mark, problems: [error.message] };
  }
}

/** The story with the events that the journal lacks and the state has. */
export function withRecent({ story, end }: ReadStory, recent: RecentEvents): NebulaStory {
  return continueStory(story, missingEvents(recent, end?.seq ?? 0).map(parsed));
}

/** `undefined` where the state has something else than JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
