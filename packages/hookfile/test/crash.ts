import { Buffer } from "node:buffer";
import { join } from "node:path";
import { type FileSystem, readWholeFile } from "@quasar/durable";
import {
  type PersistenceModel,
  type SimulatedFileSystem,
  type SimulatedProcess,
  type Value,
  withoutSync,
} from "@quasar/durable/testing";
import { createHookFiles, type HookFiles } from "../src/store/hook-files.ts";
import { decodeHookFile } from "../src/store/hook-codec.ts";
import type { HookFile } from "../src/store/hook-file.ts";
import { transition } from "../src/transitions/transitions.ts";
import type { HookInput } from "../src/transitions/transition-events.ts";
import { aCheckpoint, aTask } from "./a-task.ts";

const DIR = "/atlas/tasks/t1";
const HISTORY = `${DIR}/history`;
const HOOK = `${DIR}/hook.json`;
const HOOK_MD = `${DIR}/HOOK.md`;
const now = (): Date => new Date(0);

/** So small that a file of the history holds one or two records. */
const rollBytes = 1500;

const task = aTask({ description: "", steps: [{ name: "implement", type: "ai" }] });

/** In place of HOOK.md's text: that it is of this hook is what counts here. */
const render = (hook: HookFile): string => `revision ${hook.revision}, ${valueOf(hook)}\n`;

function filesOn(disk: FileSystem, random?: SimulatedProcess["random"]): HookFiles {
  const fs: FileSystem = {
    ...disk,
    // As a real disk does: it keeps no reference to what it was given.
    write: (fd, bytes, offset, length) =>
      disk.write(fd, Uint8Array.from(bytes.subarray(offset, offset + length)), 0, length),
  };
  return createHookFiles({ dir: DIR, fs, random, now, rollBytes, render });
}

/** All that has happened to the task, in order: what must not be lost, doubled or invented. */
function valueOf(hook: HookFile | undefined): Value {
  return hook?.history.map(({ trigger, details }) => `${trigger}${wordOf(details)}`).join();
}

function wordOf(details: HookFile["history"][number]["details"]): string {
  const word = details?.["word"];
  return typeof word === "string" ? `=${word}` : "";
}

/** What hook.json says, without a repair. */
export function observeUnrepaired(disk: FileSystem): Value {
  const bytes = readWholeFile(HOOK, { fs: disk, maxBytes: 1e7 });
  return bytes && valueOf(decodeHookFile(bytes));
}

/** What was found on a disk with these bytes: the same comes again and again. */
const seen = new Map<string, Value | Error>();

/** @param isDamaged - Whether somebody has damaged the history. */
export function observe(disk: FileSystem, isDamaged = false): Value {
  const key = `${isDamaged} ${bytesOf(disk)}`;
  const tell = (): Value => look(disk, isDamaged);
  if (!seen.has(key)) seen.set(key, attempt(tell));
  const found = seen.get(key);
  if (found instanceof Error) throw found;
  return found;
}

function attempt(act: () => Value): Value | Error {
  try {
    return act();
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

/** What a new process finds; throws unless all files tell it alike, once it was opened and for good. */
function look(disk: FileSystem, isDamaged: boolean): Value {
  const files = filesOn(disk);
  const opened = files.open();
  const value = valueOf(opened?.hook);
  const before = opened && bytesOf(disk);
  const again = files.open();
  if (valueOf(again?.hook) !== value) throw new Error("another one when it is opened again");
  if (opened === undefined || again === undefined) return value;
  if (again.source !== "current" || again.problems.length > 0) throw new Error("is not repaired");
  if (bytesOf(disk) !== before) throw new Error("other bytes when it is opened again");
  const isAlarm = opened.problems.some(({ code }) => code !== "torn_history");
  if (isAlarm && !isDamaged) throw new Error("a false alarm");

  const { hook } = opened;
  const told = [...files.records()].flatMap(({ events }) => events);
  if (valueOf({ ...hook, history: told }) !== value && !isDamaged)
    throw new Error("the history says otherwise");
  const hookMd = readWholeFile(HOOK_MD, { fs: disk, maxBytes: 1e6 });
  if (Buffer.from(hookMd ?? []).toString() !== render(hook)) throw new Error("HOOK.md is stale");
  return value;
}

const TEMPORARY = /\.[0-9a-f]{16}\.tmp$/;

/** Of all files of the task, with their names but for what is random in them. */
function bytesOf(disk: FileSystem): string {
  const all: string[] = [];
  for (const dir of [DIR, join(DIR, "history")]) {
    if (disk.lstat(dir) === undefined) continue;
    for (const name of disk.readdir(dir).toSorted()) {
      const path = join(dir, name);
      if (disk.lstat(path)?.kind !== "file") continue;
      if (TEMPORARY.test(name)) {
        all.push(dir, ".tmp"); // what is in it, nobody reads
        continue;
      }
      const bytes = readWholeFile(path, { fs: disk, maxBytes: 1e7 });
      all.push(path, Buffer.from(bytes ?? []).toString("latin1"));
    }
  }
  return all.join("\0");
}

function change(process: SimulatedProcess, files: HookFiles, before: Value): Value {
  const word = `${process.choose(2)}`;
  const after: { value: Value } = { value: before };
  files.update((hook) => {
    const [type, ...more] = pick(process, hook, word);
    if (type === undefined) return undefined;
    const changed = transition(hook, [type, ...more], { now: now() });
    after.value = valueOf(changed.hook);
    process.begin(after.value);
    return changed;
  });
  process.acknowledge(after.value);
  return after.value;
}

/** Some of what can happen now; several at once, as one change. */
function pick(process: SimulatedProcess, hook: HookFile, word: string): readonly HookInput[] {
  const details = { word };
  const checkpoint = aCheckpoint({ checkpointId: word });
  if (process.choose(4) === 0) return [];
  switch (hook.state) {
    case "initializing":
      return [{ type: "setup_complete", details }];
    case "step_pending":
      return [{ type: "start_step", prompt: "x".repeat(process.choose(2) * 500), details }];
    case "step_running":
      return process.choose(5) === 0
        ? [
            { type: "checkpoint", checkpoint },
            { type: "step_complete", details },
          ]
        : [{ type: "checkpoint", checkpoint, details }];
    default:
      return [];
  }
}

function work(process: SimulatedProcess, files: HookFiles, start: Value, most: number): void {
  let value = start;
  const count = process.choose(most + 1);
  for (let done = 0; done < count; done += 1) value = change(process, files, value);
}

export const life = {
  workload(process: SimulatedProcess): void {
    const files = filesOn(process.fs, process.random);
    process.begin("init");
    files.create(task);
    process.acknowledge("init");
    work(process, files, "init", 5);
  },

  /** Opens and takes what it finds for the truth, or changes it without having looked. */
  resume(process: SimulatedProcess): void {
    const files = filesOn(process.fs, process.random);
    const isHasty = process.choose(3) === 0;
    const found = isHasty ? valueOf(files.read()) : valueOf(files.open()?.hook);
    if (!isHasty) process.acknowledge(found);
    if (found !== undefined) work(process, files, found, 3);
  },

  observe: (disk: FileSystem): Value => observe(disk),
};

/** As {@link life}, but somebody takes the newest file of the history away; then a person is asked. */
export const damagedLife = {
  workload(process: SimulatedProcess): void {
    const { fs } = process;
    const files = filesOn(fs, process.random);
    process.begin("init");
    files.create(task);
    let value = change(process, files, "init");
    value = change(process, files, value);
    const newest = fs.readdir(HISTORY).toSorted().at(-1) ?? "";
    process.begin(`${value},crash_detected,manual_required`);
    fs.unlink(join(HISTORY, newest));
    const folder = fs.open(HISTORY, 0);
    fs.fsync(folder);
    fs.close(folder);
    process.acknowledge(`${value},crash_detected,manual_required`);
    files.open();
    process.acknowledge(valueOf(files.read()));
  },

  resume(process: SimulatedProcess): void {
    process.acknowledge(valueOf(filesOn(process.fs, process.random).open()?.hook));
  },

  observe: (disk: FileSystem): Value => observe(disk, true),
};

export type Mutant = (fs: SimulatedFileSystem) => FileSystem;

const isJournal = (path: string): boolean => path.startsWith(HISTORY) && path.endsWith(".jsonl");

function without(drop: (path: string, before: string) => boolean): Mutant {
  return (fs) => withoutSync(fs, ({ path, before }) => drop(path, before));
}

/** @see SPEC.md, "Steps that are needed" */
export const MUTANTS: readonly (readonly [string, PersistenceModel, Mutant])[] = [
  ["the history is not synced", "ext4-nda", without((path) => isJournal(path))],
  [
    "what a killed process has added to the history is not synced",
    "ext4-nda",
    (fs) => {
      const added = new Set<string>();
      return withoutSync(noting(fs, added), ({ path }) => isJournal(path) && !added.has(path));
    },
  ],
  ["the history's folder is not synced", "posix", without((path) => path === HISTORY)],
  [
    "the ancestors of a new folder are not synced",
    "posix",
    without((path) => HISTORY.startsWith(path) && path !== HISTORY),
  ],
  ["hook.json is not synced", "ext4-nda", without((path) => path.includes("/.hook.json."))],
  ["hook.json is replaced before the history is added to", "kill", replaceFirst],
];

/** Notes which files are written to. */
function noting(fs: FileSystem, written: Set<string>): FileSystem {
  const paths = new Map<number, string>();
  return {
    ...fs,
    open: (path, flags, mode) => {
      const fd = fs.open(path, flags, mode);
      paths.set(fd, path);
      return fd;
    },
    write: (fd, bytes, offset, length) => {
      written.add(paths.get(fd) ?? "");
      return fs.write(fd, bytes, offset, length);
    },
  };
}

/** What is added to the history waits for the next rename of hook.json. */
function replaceFirst(fs: SimulatedFileSystem): FileSystem {
  const journals = new Set<number>();
  const late: (() => void)[] = [];
  return {
    ...fs,
    open: (path, flags, mode) => {
      const fd = fs.open(path, flags, mode);
      if (isJournal(path)) journals.add(fd);
      return fd;
    },
    write: (fd, bytes, offset, length) => {
      if (!journals.has(fd)) return fs.write(fd, bytes, offset, length);
      const copy = Uint8Array.from(bytes.subarray(offset, offset + length));
      late.push(() => fs.write(fd, copy, 0, length));
      return length;
    },
    fsync: (fd) => {
      if (journals.has(fd) && late.length > 0) late.push(() => fs.fsync(fd));
      else fs.fsync(fd);
    },
    close: (fd) => {
      if (journals.has(fd) && late.length > 0) late.push(() => fs.close(fd));
      else fs.close(fd);
    },
    rename: (from, to) => {
      fs.rename(from, to);
      if (to === HOOK) for (const act of late.splice(0)) act();
    },
  };
}
