import type { DurableOptions } from "@quasar/durable";
import { readJournal } from "@quasar/durable/journal";
import { type NebulaHome, nebulaHome } from "./home.ts";
import { type KeptEvent, missingEvents, parseEvent } from "./recent-events.ts";
import { loadSaved } from "./store.ts";

/** What has happened to a nebula, oldest first, as far as its journal holds. */
export function nebulaEvents(commonDir: string, id: string): readonly KeptEvent[] {
  return eventsIn(nebulaHome(commonDir, id));
}

/** The same, with what a crash has kept from the journal and its state has. */
export function eventsIn(home: NebulaHome, options: DurableOptions = {}): readonly KeptEvent[] {
  // The journal first: what is added meanwhile is in the state by then.
  const journal = readJournal(home.journal, { ...options, joins: true });
  const saved = loadSaved(home, options);
  const { records = [], end } = journal ?? {};
  const missing = saved === undefined ? [] : missingEvents(saved.recent, end?.seq ?? 0);
  return [...records.map(({ data }) => data as KeptEvent), ...missing.map(parseEvent)];
}
