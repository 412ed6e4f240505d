import { constants } from "node:fs";
import { DurableError, hasErrno } from "./errors.ts";
import type { DurableOptions, FileStat, FileSystem } from "./file-system.ts";
import { nodeFileSystem } from "./file-system.ts";

export interface ReadFileOptions extends DurableOptions {
  /** A larger file is refused unread. */
  readonly maxBytes: number;
}

/** A part of a file, and how long the whole is. */
export interface FileTail {
  readonly bytes: Uint8Array;
  /** Of the whole file, in bytes. */
  readonly size: number;
}

/**
 * A regular file from a place on; none of a file that ends before it. `undefined` where there is no file.
 *
 * @param from - In bytes.
 * @throws {DurableError} as {@link readWholeFile}
 */
export function readFileTail(
  path: string,
  from: number,
  { fs = nodeFileSystem, maxBytes }: ReadFileOptions,
): FileTail | undefined {
  return withRegularFile(fs, path, (fd, stat) => {
    const { size } = stat;
    refuseLarge(path, stat, maxBytes);
    return { bytes: readUpTo(fs, fd, Math.max(0, size - from), from), size };
  });
}

/**
 * The whole of a regular file; `undefined` where there is none.
 *
 * @throws {DurableError} `ERR_NOT_REGULAR` for links, FIFOs, folders and devices, at once;
 *   `ERR_TOO_LARGE`.
 */
export function readWholeFile(path: string, options: ReadFileOptions): Uint8Array | undefined {
  const { fs = nodeFileSystem, maxBytes } = options;
  return withRegularFile(fs, path, (fd, stat) => readWhole(fs, path, fd, stat, maxBytes));
}

/**
 * The first bytes of a regular file, at most `length`; `undefined` where there is none.
 *
 * @throws {DurableError} `ERR_NOT_REGULAR`
 */
export function readFileHead(
  path: string,
  length: number,
  options: DurableOptions = {},
): Uint8Array | undefined {
  const { fs = nodeFileSystem } = options;
  return withRegularFile(fs, path, (fd, stat) => readUpTo(fs, fd, Math.min(length, stat.size)));
}

/**
 * The whole of a file that only its owner can reach (a key); `undefined` where there is none.
 *
 * @throws {DurableError} `ERR_UNSAFE_MODE` where group or others have any right, or the owner is
 *   neither this user nor root; `ERR_NOT_REGULAR`; `ERR_TOO_LARGE`.
 */
export function readPrivateFile(path: string, options: ReadFileOptions): Uint8Array | undefined {
  const { fs = nodeFileSystem, maxBytes } = options;
  return withRegularFile(fs, path, (fd, stat) => {
    refuseShared(path, stat);
    return readWhole(fs, path, fd, stat, maxBytes);
  });
}

/** Opens without following a link or waiting for a FIFO's writer. */
export function withRegularFile<T>(
  fs: FileSystem,
  path: string,
  use: (fd: number, stat: FileStat) => T,
): T | undefined {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  let fd: number;
  try {
    fd = fs.open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  } catch (error) {
    if (hasErrno(error, "ENOENT")) return undefined;
    if (!hasErrno(error, "ELOOP", "ENXIO")) throw error; // ENXIO: a socket
    throw new DurableError("ERR_NOT_REGULAR", `${path} is not a regular file`, { cause: error });
  }
  try {
    const stat = fs.fstat(fd);
    if (stat.kind !== "file") {
      throw new DurableError("ERR_NOT_REGULAR", `${path} is not a regular file`);
    }
    return use(fd, stat);
  } finally {
    fs.close(fd);
  }
}

function readWhole(
  fs: FileSystem,
  path: string,
  fd: number,
  stat: FileStat,
  maxBytes: number,
): Uint8Array {
  refuseLarge(path, stat, maxBytes);
  return readUpTo(fs, fd, stat.size);
}

function refuseLarge(path: string, { size }: FileStat, maxBytes: number): void {
  if (size <= maxBytes) return;
  throw new DurableError("ERR_TOO_LARGE", `${path} has ${size} bytes, ${maxBytes} are allowed`);
}

/** @param from - A place in the file. @default on from the last position */
function readUpTo(fs: FileSystem, fd: number, length: number, from?: number): Uint8Array {
  const bytes = new Uint8Array(length);
  let offset = 0;
  while (offset < length) {
    const at = from === undefined ? undefined : from + offset;
    const count = fs.read(fd, bytes, offset, length - offset, at);
    if (count === 0) break;
    offset += count;
  }
  return bytes.subarray(0, offset);
}

function refuseShared(path: string, stat: FileStat): void {
  const owners = [process.geteuid?.(), 0];
  if ((stat.mode & 0o077) === 0 && owners.includes(stat.uid)) return;
  const mode = stat.mode.toString(8).padStart(4, "0");
  const message = `${path} has mode ${mode} and owner ${stat.uid}: others could reach it`;
  throw new DurableError("ERR_UNSAFE_MODE", message);
}
