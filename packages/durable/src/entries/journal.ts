export { type Journal, openJournal } from "../journal.ts";
export type { JournalPosition, JournalRecord } from "../journal-format.ts";
export { readJournal, readLastRecord } from "../read-journal.ts";
