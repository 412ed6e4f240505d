import { randomBytes } from "node:crypto";
import { lstatSync, readdirSync, renameSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { DurableError, readWholeFile, replaceFile } from "@quasar/durable";
import { ignoring } from "../errno.ts";
import { hiddenFiles } from "./exact-modes.ts";
import { TASK_FILES } from "./files.ts";
import { CHECKPOINT_TRIGGERS, type CheckpointTrigger } from "./hook-file.ts";

/** What a git hook leaves for whoever next holds the task's lock. */
export interface InboxNote {
  /** The file's name without its ending: another note has another id, whatever it says. */
  readonly id: string;
  /** RFC 3339, UTC, milliseconds. */
  readonly createdAt: string;
  readonly trigger: CheckpointTrigger;
  /** At most 1,000 characters are read. */
  readonly description: string;
  /** The commit that HEAD was at. */
  readonly commit?: string | undefined;
}

export type NewNote = Omit<InboxNote, "id" | "createdAt">;

export interface InboxOptions {
  readonly now: Date;
  /** 8 bytes that nobody can guess. @default those of `node:crypto` */
  readonly random?: (() => Uint8Array) | undefined;
}

/** Why a file of the inbox is not a note. */
export interface InboxProblem {
  /** Its name in the inbox; `""`: the inbox itself. */
  readonly name: string;
  readonly reason: "not-a-file" | "too-large" | "not-a-note" | "unreadable";
}

export interface Inbox {
  /** Oldest first, by the time in their names. */
  readonly notes: readonly InboxNote[];
  readonly problems: readonly InboxProblem[];
}

const MAX_BYTES = 16 * 1024;
const MAX_DESCRIPTION = 1_000;
/** More wait for the next reading. */
const MAX_NOTES = 1_000;
const NAME = /^(\d{8}T\d{9}Z-[0-9a-f]{16})\.json$/;

/**
 * Leaves a note for a task, whole and durable, without its lock, and returns the note's id;
 * `undefined` where the task's folder is gone: it is not made anew.
 *
 * @param dir - The task's folder; the inbox in it is made where it is missing.
 * @throws {DurableError} `ERR_UNSAFE_DIRECTORY` where the inbox is a link; `ERR_NOT_DURABLE`.
 */
export function dropInInbox(dir: string, note: NewNote, options: InboxOptions): string | undefined {
  const { now, random = () => randomBytes(8) } = options;
  if (lstatSync(dir, { throwIfNoEntry: false })?.isDirectory() !== true) return undefined;
  const time = now.toISOString();
  const id = `${time.replace(/[-:.]/g, "")}-${Buffer.from(random()).toString("hex")}`;
  const text = JSON.stringify({
    version: 1,
    created_at: time,
    trigger: note.trigger,
    description: Array.from(note.description).slice(0, MAX_DESCRIPTION).join(""),
    commit: note.commit,
  });
  const file = join(dir, TASK_FILES.inbox, `${id}.json`);
  replaceFile(file, Buffer.from(`${text}\n`), { fs: hiddenFiles, keepPrevious: false });
  return id;
}

/**
 * Reads the notes of a task, at most 1,000, and changes nothing. No link is followed, nothing is
 * waited for, and a file that is no note is told beside the others. Files of other names, such as
 * those being written, are passed over.
 */
export function readInbox(dir: string): Inbox {
  const inbox = join(dir, TASK_FILES.inbox);
  const folder = lstatSync(inbox, { throwIfNoEntry: false });
  if (folder === undefined) return { notes: [], problems: [] };
  if (!folder.isDirectory()) {
    return { notes: [], problems: [{ name: "", reason: "not-a-file" }] };
  }
  const notes: InboxNote[] = [];
  const problems: InboxProblem[] = [];
  for (const name of readdirSync(inbox).sort()) {
    const [, id] = NAME.exec(name) ?? [];
    if (id === undefined) continue;
    if (notes.length + problems.length === MAX_NOTES) break;
    const read = readNote(join(inbox, name), id);
    if (typeof read === "string") problems.push({ name, reason: read });
    else if (read !== undefined) notes.push(read);
  }
  return { notes, problems };
}

/**
 * Empties an inbox of what a reading found: notes go, the rest is quarantined as `<name>.bad`. To be
 * called once what the notes said is durable in the hook file. Notes that came since stay; one that
 * a power cut brings back has the id that it had.
 */
export function clearInbox(dir: string, { notes, problems }: Inbox): void {
  const inbox = join(dir, TASK_FILES.inbox);
  for (const { id } of notes) ignoring(GONE, () => unlinkSync(join(inbox, `${id}.json`)));
  for (const { name } of problems) {
    if (name === "") continue;
    ignoring(TAKEN, () => renameSync(join(inbox, name), join(inbox, `${name}.bad`)));
  }
}

/** The note, why it is none, or `undefined` where somebody else has just taken it. */
function readNote(path: string, id: string): InboxNote | InboxProblem["reason"] | undefined {
  let bytes: Uint8Array | undefined;
  try {
    bytes = readWholeFile(path, { maxBytes: MAX_BYTES });
  } catch (error) {
    if (!(error instanceof DurableError)) return "unreadable";
    return error.code === "ERR_TOO_LARGE" ? "too-large" : "not-a-file";
  }
  if (bytes === undefined) return undefined;
  const value = parseJson(Buffer.from(bytes).toString());
  return isStoredNote(value)
    ? {
        id,
        createdAt: value.created_at,
        trigger: value.trigger,
        description: value.description,
        commit: value.commit,
      }
    : "not-a-note";
}

interface StoredNote {
  readonly created_at: string;
  readonly trigger: CheckpointTrigger;
  readonly description: string;
  readonly commit?: string;
}

function isStoredNote(value: unknown): value is StoredNote {
  if (typeof value !== "object" || value === null) return false;
  const { version, created_at, trigger, description, commit } = value as Record<string, unknown>;
  return (
    version === 1 &&
    typeof created_at === "string" &&
    TIME.test(created_at) &&
    CHECKPOINT_TRIGGERS.some((known) => known === trigger) &&
    typeof description === "string" &&
    Array.from(description).length <= MAX_DESCRIPTION &&
    (commit === undefined || (typeof commit === "string" && SHA.test(commit)))
  );
}

const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;
const SHA = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const GONE: readonly string[] = ["ENOENT"];
/** Somebody has put something at the name for what is quarantined: then it stays where it is. */
const TAKEN: readonly string[] = [...GONE, "EISDIR", "ENOTDIR", "ENOTEMPTY", "EEXIST"];
