import { snakeCase } from "./stored-names.ts";
import { codeOf } from "./errors.ts";
import { closeSync, constants, fstatSync, openSync, readSync, writeSync } from "node:fs";
import { join } from "node:path";
import { TASK_FILES } from "@quasar/hookfile/internal";
import type { TaskEvent } from "./task-event.ts";

export interface TaskLogOptions {
  readonly now: () => Date;
  /** Takes secrets out of every text. */
  readonly redact: (text: string) => string;
}

/** A line of task.log: an event, and when it came. */
export type LoggedEvent = TaskEvent & {
  /** RFC 3339. */
  readonly at: string;
};

export interface TaskLog {
  /**
   * Adds one line; what agents say is left out. It is not flushed: the hook file's history is what
   * outlives a power cut.
   *
   * @throws the system's error where the file cannot be written.
   */
  append(event: TaskEvent): void;
}

/**
 * Opens task.log (0600) to add JSON lines to it; several processes may at once. Keys are in snake_case
 * there. A line has at most 64 KiB: texts are cut until it fits.
 */
export function openTaskLog(taskDir: string, { now, redact }: TaskLogOptions): TaskLog {
  const path = join(taskDir, TASK_FILES.log);
  return {
    append(event) {
      if (event.type === "loop" && event.event.type === "agent_event") return;
      appendLine(path, lineOf({ at: now().toISOString(), ...event }, redact));
    },
  };
}

/**
 * What is in task.log, oldest first: of a file over 16 MiB its end. What is no event, such as a line that
 * a crash has torn, is passed over.
 */
export function readTaskLog(taskDir: string): readonly LoggedEvent[] {
  const lines = readEnd(join(taskDir, TASK_FILES.log)).split("\n");
  return lines.flatMap((line) => {
    const event = parseLine(line);
    return event === undefined ? [] : [event];
  });
}

/** How a drive said that it stopped, if nobody has worked on the task since. */
export type Stopped = Extract<LoggedEvent, { readonly type: "stopped" }>;

/** The last stop of a task; `undefined` where the log's last words are of something else. */
export function lastStop(taskDir: string): Stopped | undefined {
  const lines = readEnd(join(taskDir, TASK_FILES.log), 2 * MAX_LINE).split("\n");
  const last = lines
    .map(parseLine)
    .findLast((event) => event !== undefined && !IN_PASSING.has(event.type));
  return last?.type === "stopped" ? last : undefined;
}

/** What is said without working on a task. */
const IN_PASSING: ReadonlySet<TaskEvent["type"]> = new Set(["warning", "recovered"]);

const MAX_LINE = 64 * 1024;
/** Code units of a text; tried in turn until the line fits. */
const LONGEST_TEXTS = [8000, 1000, 100];

function lineOf(event: LoggedEvent, redact: (text: string) => string): Buffer {
  for (const longest of LONGEST_TEXTS) {
    const cut = (text: string): string => {
      const shown = redact(text);
      return shown.length <= longest ? shown : `${shown.slice(0, longest)}…`.toWellFormed();
    };
    const line = Buffer.from(`${JSON.stringify(mapped(event, snakeCase, cut))}\n`);
    if (line.length <= MAX_LINE) return line;
  }
  const { at, type } = event;
  return Buffer.from(`${JSON.stringify({ at, type, is_cut: true })}\n`);
}

function appendLine(path: string, line: Buffer): void {
  const { O_RDWR, O_CREAT, O_APPEND, O_NOFOLLOW } = constants;
  const fd = openSync(path, O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW, 0o600);
  try {
    const { size } = fstatSync(fd);
    const last = Buffer.alloc(1, "\n");
    if (size > 0) readSync(fd, last, 0, 1, size - 1);
    // What a crash has torn stays a line of its own.
    writeSync(fd, last[0] === NEWLINE ? line : Buffer.concat([Buffer.from("\n"), line]));
  } finally {
    closeSync(fd);
  }
}

const NEWLINE = 0x0a;
const MOST_READ = 16 * 1024 * 1024;

function readEnd(path: string, most: number = MOST_READ): string {
  const fd = openIfThere(path);
  if (fd === undefined) return "";
  try {
    const { size } = fstatSync(fd);
    const bytes = Buffer.alloc(Math.min(size, most));
    const length = readSync(fd, bytes, 0, bytes.length, size - bytes.length);
    return bytes.subarray(0, length).toString();
  } finally {
    closeSync(fd);
  }
}

function openIfThere(path: string): number | undefined {
  try {
    return openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}

function parseLine(line: string): LoggedEvent | undefined {
  try {
    const value: unknown = mapped(JSON.parse(line), camelCase, (text) => text);
    return isEvent(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isEvent(value: unknown): value is LoggedEvent {
  if (typeof value !== "object" || value === null || !("at" in value) || !("type" in value)) {
    return false;
  }
  return typeof value.at === "string" && typeof value.type === "string";
}

/** A copy with other keys and texts. */
function mapped(
  value: unknown,
  keyOf: (key: string) => string,
  textOf: (text: string) => string,
): unknown {
  if (typeof value === "string") return textOf(value);
  if (Array.isArray(value)) return value.map((item) => mapped(item, keyOf, textOf));
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([key, item]): [string, unknown] => [
    keyOf(key),
    mapped(item, keyOf, textOf),
  ]);
  return Object.fromEntries(entries);
}

function camelCase(key: string): string {
  return key.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
