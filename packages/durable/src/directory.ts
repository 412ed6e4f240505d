import { constants } from "node:fs";
import { dirname } from "node:path";
import { DurableError, hasErrno } from "./errors.ts";
import type { FileStat, FileSystem } from "./file-system.ts";
import { isSameFile } from "./file-system.ts";

/** What this process knows to be on disk; one per file system, so that a simulated one starts anew. */
interface Memory {
  /** Folders whose own name, and those of all their ancestors, are durable, and so is what they held then. */
  readonly prepared: Map<string, FileStat>;
  /** Their ancestors: their own names, and those of theirs, are durable. */
  readonly named: Map<string, FileStat>;
  /** Generations that the last save of a file left; a hint, to be checked. */
  readonly generations: Map<string, readonly number[]>;
}

const memories = new WeakMap<FileSystem, Memory>();

export function memoryOf(fs: FileSystem): Memory {
  const known = memories.get(fs);
  if (known !== undefined) return known;
  const memory = { prepared: new Map(), named: new Map(), generations: new Map() };
  memories.set(fs, memory);
  return memory;
}

/**
 * Calls `change` with an open folder whose name is durable, creating it (0700) where it is missing.
 *
 * After a failure nothing is taken as durable any more: the next call syncs everything again.
 *
 * @throws {DurableError} `ERR_UNSAFE_DIRECTORY`
 */
export function changeDirectory(fs: FileSystem, dir: string, change: (fd: number) => void): void {
  const memory = memoryOf(fs);
  const created = fs.lstat(dir) === undefined && createDirectories(fs, dir);
  const fd = openDirectory(fs, dir);
  try {
    const stat = fs.fstat(fd);
    if (created || !isSameFile(memory.prepared.get(dir), stat)) {
      fs.fsync(fd);
      syncAncestors(fs, dir);
      memory.prepared.set(dir, stat);
    }
    change(fd);
  } catch (error) {
    memory.prepared.clear();
    memory.named.clear();
    memory.generations.clear();
    throw error;
  } finally {
    fs.close(fd);
  }
}

/** @throws {DurableError} `ERR_UNSAFE_DIRECTORY` where the last component is a link or no folder. */
export function openDirectory(fs: FileSystem, dir: string): number {
  const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = constants;
  try {
    return fs.open(dir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  } catch (error) {
    if (!hasErrno(error, "ELOOP", "ENOTDIR")) throw error;
    const message = `${dir} is not a folder, or is a link to one`;
    throw new DurableError("ERR_UNSAFE_DIRECTORY", message, { cause: error });
  }
}

/** @throws {DurableError} `ERR_UNSAFE_DIRECTORY` where the last component is a link. */
export function refuseLinkedDirectory(fs: FileSystem, dir: string): void {
  if (fs.lstat(dir)?.kind !== "symlink") return;
  throw new DurableError("ERR_UNSAFE_DIRECTORY", `${dir} is a link`);
}

function createDirectories(fs: FileSystem, dir: string): true {
  const parent = dirname(dir);
  if (parent !== dir && fs.lstat(parent) === undefined) createDirectories(fs, parent);
  try {
    fs.mkdir(dir, 0o700);
  } catch (error) {
    if (!hasErrno(error, "EEXIST")) throw error; // somebody else was quicker
  }
  return true;
}

/** An ancestor that may not be opened, or cannot be synced, was there before us. */
const NOT_OURS = ["EACCES", "EPERM", "EROFS", "EINVAL", "ENOTSUP"];

/** Up to the first one whose own name is known to be durable: what it holds may be new, what holds it is not. */
function syncAncestors(fs: FileSystem, dir: string): void {
  const { named } = memoryOf(fs);
  for (let at = dir; dirname(at) !== at; ) {
    at = dirname(at);
    try {
      const stat = syncPath(fs, at, constants.O_RDONLY | constants.O_DIRECTORY);
      const isKnown = isSameFile(named.get(at), stat);
      named.set(at, stat);
      if (isKnown) return;
    } catch (error) {
      if (!hasErrno(error, ...NOT_OURS)) throw error;
    }
  }
}

/** Of a regular file: waits neither for a FIFO nor follows a link. */
export function syncFile(fs: FileSystem, path: string): void {
  syncPath(fs, path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
}

function syncPath(fs: FileSystem, path: string, flags: number): FileStat {
  const fd = fs.open(path, flags);
  try {
    fs.fsync(fd);
    return fs.fstat(fd);
  } finally {
    fs.close(fd);
  }
}
