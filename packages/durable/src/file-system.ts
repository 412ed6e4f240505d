import { randomBytes } from "node:crypto";
import * as fs from "node:fs";

/** What is known of a file without reading it. */
export interface FileStat {
  readonly kind: "file" | "directory" | "symlink" | "other";
  /** Bytes. */
  readonly size: number;
  /** Permission bits: `0o600`. */
  readonly mode: number;
  readonly uid: number;
  readonly dev: bigint;
  readonly ino: bigint;
  /** Nanoseconds; another one where the content was changed since. Of use to be compared only. */
  readonly ctimeNs: bigint;
}

/**
 * The calls that this package makes, in the shape of POSIX: synchronous, throwing errors that have a
 * system error name as `code`. Everything goes through it, so that a test can stop, fail or reorder
 * every single call.
 */
export interface FileSystem {
  /** @param flags - `node:fs` `constants.O_…`. */
  open(path: string, flags: number, mode?: number): number;
  close(fd: number): void;
  /**
   * Reads into `bytes`; returns the count, 0 at the end.
   *
   * @param position - In the file, which leaves the last position as it is. @default on from the last position
   */
  read(fd: number, bytes: Uint8Array, offset: number, length: number, position?: number): number;
  /** Writes on from the last position; the count may be smaller than `length`. */
  write(fd: number, bytes: Uint8Array, offset: number, length: number): number;
  /** Of a file or a directory. */
  fsync(fd: number): void;
  fstat(fd: number): FileStat;
  /** `undefined` where there is nothing. */
  lstat(path: string): FileStat | undefined;
  /** Fails with EEXIST where `path` exists. */
  link(existing: string, path: string): void;
  rename(from: string, to: string): void;
  unlink(path: string): void;
  mkdir(path: string, mode: number): void;
  readdir(path: string): readonly string[];
}

/** Bytes that nobody can guess. */
export type Random = (size: number) => Uint8Array;

/** What every function of this package takes: the seams that tests use. */
export interface DurableOptions {
  /** @default the file system of this machine */
  readonly fs?: FileSystem | undefined;
  /** @default the random bytes of `node:crypto` */
  readonly random?: Random | undefined;
}

/** The file system of this machine. */
export const nodeFileSystem: FileSystem = {
  open: (path, flags, mode) => fs.openSync(path, flags, mode),
  close: (fd) => fs.closeSync(fd),
  read: (fd, bytes, offset, length, position) =>
    fs.readSync(fd, bytes, offset, length, position ?? null),
  write: (fd, bytes, offset, length) => fs.writeSync(fd, bytes, offset, length),
  fsync: (fd) => fs.fsyncSync(fd),
  fstat: (fd) => fileStat(fs.fstatSync(fd, { bigint: true })),
  lstat: (path) => {
    const stat = fs.lstatSync(path, { bigint: true, throwIfNoEntry: false });
    return stat === undefined ? undefined : fileStat(stat);
  },
  link: (existing, path) => fs.linkSync(existing, path),
  rename: (from, to) => fs.renameSync(from, to),
  unlink: (path) => fs.unlinkSync(path),
  mkdir: (path, mode) => fs.mkdirSync(path, mode),
  readdir: (path) => fs.readdirSync(path),
};

export const nodeRandom: Random = (size) => randomBytes(size);

/** Whether two names are of one file. */
export function isSameFile(a: FileStat | undefined, b: FileStat | undefined): boolean {
  return a !== undefined && b !== undefined && a.ino === b.ino && a.dev === b.dev;
}

function fileStat(stat: fs.BigIntStats): FileStat {
  return {
    kind: kindOf(stat),
    size: Number(stat.size),
    mode: Number(stat.mode) & 0o7777,
    uid: Number(stat.uid),
    dev: stat.dev,
    ino: stat.ino,
    ctimeNs: stat.ctimeNs,
  };
}

function kindOf(stat: fs.BigIntStats): FileStat["kind"] {
  if (stat.isFile()) return "file";
  if (stat.isDirectory()) return "directory";
  return stat.isSymbolicLink() ? "symlink" : "other";
}
