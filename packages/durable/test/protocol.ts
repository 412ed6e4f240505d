import { constants } from "node:fs";
import type { FileSystem } from "../src/file-system.ts";
import {
  type LoadedFile,
  loadFile,
  recoverDirectory,
  removeFile,
  replaceFile,
  quarantine,
} from "../src/index.ts";
import type { SimulatedProcess, Value } from "../src/testing.ts";

export const DIR = "/state/runs";
export const FILE = `${DIR}/file`;

export function encode(value: string): Uint8Array {
  return Buffer.from(`${value}:${"x".repeat(9)}:${value}`);
}

/** Throws at anything that {@link encode} did not write. */
export function decode(bytes: Uint8Array): string {
  const text = Buffer.from(bytes).toString("latin1");
  const value = text.slice(0, text.indexOf(":"));
  if (!Buffer.from(encode(value)).equals(bytes)) throw new Error(`damaged: ${text}`);
  return value;
}

/** What a reader finds, with `~` where a damaged file lies about, `!` where it was quarantined. */
export function observe(fs: FileSystem): Value {
  const value = read(fs)?.value;
  const damaged = fs.lstat(DIR) === undefined ? [] : fs.readdir(DIR).filter(isDamaged(fs));
  if (damaged.length === 0) return value;
  return damaged.some((name) => name.includes(".damaged-")) ? `${value}!` : `${value}~`;
}

function read(fs: FileSystem): LoadedFile<string> | undefined {
  return loadFile(FILE, decode, { fs, maxBytes: 1000 });
}

/** One to six saves, removals, saves by another tool, and files damaged and quarantined. */
export function workload(process: SimulatedProcess): void {
  work(process, undefined, 1 + process.choose(6));
}

/** What a new process does: takes what it finds for the truth, once it is on disk. */
export function resume(process: SimulatedProcess): void {
  const isWhole = read(process.fs)?.source !== "previous";
  const isHasty = isWhole && process.choose(4) === 0; // one that saves without having looked
  if (!isHasty) recoverDirectory(DIR, process);
  const found = observe(process.fs);
  if (!isHasty) process.acknowledge(found);
  work(process, isWhole ? found : setDamagedAside(process, found), process.choose(4));
}

function work(process: SimulatedProcess, start: Value, count: number): void {
  let value = start;
  let version = 100 * (1 + Number(start?.replaceAll(/\D/g, "") ?? 0));
  let isOurs = false;
  for (let done = 0; done < count; done += 1) {
    const next = `v${(version += 1)}${value?.endsWith("!") === true ? "!" : ""}`;
    const action = process.choose(8);
    if (action === 0) value = remove(process, value);
    else if (action === 1 && isOurs) value = saveLikeAnotherTool(process, next);
    else if (action === 2 && isOurs && value?.endsWith("!") === false)
      value = damage(process, value);
    else value = save(process, next);
    isOurs = action > 2; // another tool's file has no second name yet: it may lose its own
  }
}

export function save(process: SimulatedProcess, value: string): Value {
  process.begin(value);
  replaceFile(FILE, encode(value.replace("!", "")), process);
  process.acknowledge(value);
  return value;
}

export function remove(process: SimulatedProcess, value?: Value): Value {
  const left = value?.endsWith("!") === true ? "undefined!" : undefined;
  process.begin(left);
  removeFile(FILE, process);
  process.acknowledge(left);
  return left;
}

/** Two saves of ours, then one of another tool that nobody syncs, on which `act` works. */
export function afterAnotherTool(
  process: SimulatedProcess,
  act: (process: SimulatedProcess) => void,
): void {
  save(process, "v1");
  save(process, "v2");
  renameUnsynced(process, "v3");
  act(process);
}

export function saveAndDamage(process: SimulatedProcess): void {
  damage(process, save(process, "v4") ?? "");
}

function saveLikeAnotherTool(process: SimulatedProcess, value: string): Value {
  renameUnsynced(process, value);
  recoverDirectory(DIR, process);
  process.acknowledge(value);
  return value;
}

/** Nothing is promised of it until we recovered. */
function renameUnsynced(process: SimulatedProcess, value: string): void {
  const { fs } = process;
  process.begin(value);
  const { O_WRONLY, O_CREAT, O_TRUNC } = constants;
  const temporary = `${FILE}.${value}.tmp`;
  put(fs, temporary, O_WRONLY | O_CREAT | O_TRUNC, encode(value.replace("!", "")));
  fs.rename(temporary, FILE);
}

const DAMAGED = "X".charCodeAt(0);

/** A file that decays under both its names, is found out, and quarantined. */
function damage(process: SimulatedProcess, value: string): Value {
  const { fs } = process;
  const before = valueBefore(fs, value);
  if (before === undefined) return value;
  process.begin(`${before}~`);
  process.begin(before); // a torn write leaves other damage, which does not count as `~`
  put(fs, FILE, constants.O_WRONLY, Uint8Array.of(DAMAGED));
  const fd = fs.open(FILE, constants.O_RDONLY);
  fs.fsync(fd);
  fs.close(fd);
  process.acknowledge(`${before}~`);
  return setDamagedAside(process, `${before}~`);
}

function setDamagedAside(process: SimulatedProcess, damaged: Value): Value {
  const value = damaged?.replace("~", "!");
  process.begin(value);
  while (read(process.fs)?.source === "previous") {
    quarantine(FILE, { ...process, now: new Date(0) });
  }
  process.acknowledge(value);
  return value;
}

/** What is left if the file, as yet whole, is damaged; `undefined` if nothing is. */
function valueBefore(fs: FileSystem, value: string): Value {
  const parse = (bytes: Uint8Array): string => {
    if (decode(bytes) === value) throw new Error("this is the one");
    return decode(bytes);
  };
  if (read(fs)?.source !== "current") return undefined;
  try {
    return loadFile(FILE, parse, { fs, maxBytes: 1000 })?.value;
  } catch {
    return undefined;
  }
}

const isDamaged =
  (fs: FileSystem) =>
  (name: string): boolean => {
    const bytes = new Uint8Array(1);
    const fd = fs.open(`${DIR}/${name}`, constants.O_RDONLY);
    fs.read(fd, bytes, 0, 1);
    fs.close(fd);
    return bytes[0] === DAMAGED;
  };

function put(fs: FileSystem, path: string, flags: number, bytes: Uint8Array): void {
  const fd = fs.open(path, flags, 0o644);
  fs.write(fd, bytes, 0, bytes.length);
  fs.close(fd);
}
