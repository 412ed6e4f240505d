import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { DurableError, quarantine } from "@quasar/durable";
import { type Journal, openJournal, readJournal } from "@quasar/durable/journal";
import type { LoopEvent } from "@quasar/loop";
import { makeFolders } from "@quasar/process/files";
import { isRealFolder } from "../real-folder.ts";
import { cutText } from "../text/cut.ts";
import { factOf, keyOf, verdictOf } from "./facts.ts";
import type { Fact } from "./fact.ts";

/** What a run is known to have gone through: to be read at once, and on disk before a checkpoint says so. */
export interface RunJournal {
  /** Adds what an event tells, unless a crash has it told again. */
  add(event: LoopEvent): void;
  /** Adds a fact of the command's own. */
  note(fact: Fact): void;
  /** Where its file was removed: writes all that it knows into a new one. */
  restore(): void;
  /** Returns once a power cut cannot take anything that was added. One flush at most. */
  sync(): void;
  /** Syncs it first. */
  close(): void;
}

export const JOURNAL_FILE = "events.jsonl";

/** Longer texts are cut. */
const MOST_TEXT = 4000;

/** A fact's length in characters, as JSON; a longer one is kept without its lists. */
const MOST_FACT = 250_000;

/** It is synced before each save, which is soon enough. */
const JOURNAL_OPTIONS = { maxRecordBytes: 1024 * 1024, joins: true } as const;

/**
 * Opens the journal of a run. One whose chain is broken is quarantined, and a new journal starts. Call it
 * under the lock of the work tree.
 *
 * @throws {DurableError} `ERR_NOT_DURABLE`, `ERR_NOT_REGULAR`
 */
export function openRunJournal(dir: string, onProblem: (message: string) => void): RunJournal {
  makeFolders(dir);
  isRealFolder(dir);
  const path = join(dir, JOURNAL_FILE);
  let journal = openOrRenew(path, onProblem);
  const written = journal.records.map(({ data }) => data).filter(isFact);
  const known = new Map(written.map((fact) => [keyOf(fact), verdictOf(fact)]));
  const append = (fact: Fact): void => {
    const key = keyOf(fact);
    if (key !== undefined && known.has(key) && known.get(key) === verdictOf(fact)) return;
    const data = { ...shortened(fact), time: new Date().toISOString() };
    journal.add(data);
    written.push(data);
    known.set(key, verdictOf(fact));
  };
  const restore = (): void => {
    if (existsSync(path)) return;
    makeFolders(dir);
    const removed = journal;
    const anew = openOrRenew(path, onProblem);
    try {
      for (const data of written) anew.add(data);
      anew.sync();
    } catch (error) {
      // Half of it would be taken for the whole.
      anew.close();
      rmSync(path, { force: true });
      throw error;
    }
    journal = anew;
    removed.close();
  };
  return {
    add(event) {
      const fact = factOf(event, written);
      if (fact !== undefined) append(fact);
    },
    note: append,
    restore,
    sync: () => journal.sync(),
    close() {
      try {
        journal.sync();
      } finally {
        journal.close();
      }
    },
  };
}

/** Adds one fact to a run's journal, under the lock of the work tree. */
export function noteFact(dir: string, fact: Fact, onProblem: (message: string) => void): void {
  const journal = openRunJournal(dir, onProblem);
  try {
    journal.note(fact);
  } finally {
    journal.close();
  }
}

function openOrRenew(path: string, onProblem: (message: string) => void): Journal {
  try {
    return openJournal(path, JOURNAL_OPTIONS);
  } catch (error) {
    if (!(error instanceof DurableError) || error.code !== "ERR_DAMAGED") throw error;
    const aside = quarantine(path, { now: new Date() });
    onProblem(`${error.message}; quarantined as ${aside}, and a new journal starts`);
    return openJournal(path, JOURNAL_OPTIONS);
  }
}

/** The facts of a run, oldest first, as far as the chain holds. */
export function readFacts(dir: string): readonly Fact[] {
  const records = readJournal(join(dir, JOURNAL_FILE), { joins: true })?.records ?? [];
  return records.map(({ data }) => data).filter(isFact);
}

/** Whether a record of a journal is what we write into one: a file may hold anything. */
export function isFact(data: unknown): data is Fact {
  return (
    typeof data === "object" && data !== null && "type" in data && typeof data.type === "string"
  );
}

function shortened(fact: Fact): Fact {
  const cut = (value: unknown): unknown => {
    if (typeof value === "string") return cutText(value, MOST_TEXT);
    if (Array.isArray(value)) return value.map(cut);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, cut(each)]));
  };
  const whole = { ...fact, ...(cut(fact) as object) };
  if (JSON.stringify(whole).length <= MOST_FACT) return whole;
  // What is left names the fact: a flood of findings does not stop a run.
  const scalars = Object.entries(fact).filter(([, value]) => typeof value !== "object");
  const short = scalars.map(([key, value]) => [
    key,
    typeof value === "string" ? cutText(value, 200) : value,
  ]);
  return { ...(Object.fromEntries(short) as object), type: fact.type, isShortened: true };
}
