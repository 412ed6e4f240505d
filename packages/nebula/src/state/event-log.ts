import type { DurableOptions } from "@quasar/durable";
import { openJournal } from "@quasar/durable/journal";
import type { NebulaHome } from "./home.ts";
import { missingEvents, parseEvent, type RecentEvents } from "./recent-events.ts";

/** After how many events the journal is synced: the state does not keep them any longer. */
const SYNC_AFTER = 16;

/**
 * The journal, to be added to, with the events that it may lose: those that were added since its last sync, and those that
 * it could not take.
 */
export interface EventLog {
  /** What the state has to keep, so that a crash loses none of these events either. @param added - Those to be added next. */
  recentWith(added: readonly string[]): RecentEvents;
  /**
   * Adds events, and what the journal lacks of those before.
   *
   * @throws {DurableError} `ERR_NOT_DURABLE`: they stay among the recent ones, and the next call adds them.
   */
  add(events: readonly string[]): void;
  close(): void;
}

/**
 * Opens the journal of a nebula, with all on disk that the state has and a crash has kept from it.
 *
 * @throws {DurableError} as `openJournal`
 */
export function openEventLog(
  { journal: path }: Pick<NebulaHome, "journal">,
  recent: RecentEvents,
  options: DurableOptions,
): EventLog {
  const journal = openJournal(path, { ...options, joins: true });
  /** How many records are on disk, and the events after them, oldest first. */
  let synced = journal.end.seq;
  let unsynced = missingEvents(recent, synced);
  const write = (): void => {
    // After a failure the journal ends anywhere from `synced` on.
    for (const text of unsynced.slice(journal.end.seq - synced)) journal.add(parseEvent(text));
  };
  const sync = (): void => {
    journal.sync();
    synced = journal.end.seq;
    unsynced = [];
  };
  try {
    write();
    sync();
  } catch (error) {
    journal.close();
    throw error;
  }
  return {
    recentWith: (added) => ({ from: synced + 1, events: [...unsynced, ...added] }),
    add(events) {
      unsynced = [...unsynced, ...events];
      write();
      if (unsynced.length >= SYNC_AFTER) sync();
    },
    close: () => journal.close(),
  };
}
