import type { FileSystem } from "../file-system.ts";
import { failure } from "./disk.ts";

export type Call = keyof FileSystem;

export interface Fault {
  /** Which call fails, counted from 0. */
  readonly at: number;
  /** A system error, such as `ENOSPC`. */
  readonly errno: string;
  /** Whether every later call of the same name fails as well. @default false */
  readonly sticky?: boolean | undefined;
}

export interface FaultyFileSystem extends FileSystem {
  /** The calls so far. */
  readonly calls: readonly Call[];
  /** Ends the fault, as when a disk has room again. */
  readonly repair: () => void;
}

/**
 * `fs` with one call that fails without an effect, once or from then on. Without a fault it counts.
 *
 * A failed `close` has closed: the descriptor is gone.
 */
export function failing(
  fs: FileSystem & { failSync?: ((fd: number) => void) | undefined },
  fault?: Fault,
): FaultyFileSystem {
  const calls: Call[] = [];
  let armed = fault;
  let failed: Call | undefined;
  const strikes = (call: Call): boolean => {
    const at = calls.push(call) - 1;
    if (armed === undefined) return false;
    if (at !== armed.at && !(armed.sticky === true && failed === call)) return false;
    failed = call;
    return true;
  };
  const check = (call: Call, path: string): void => {
    if (strikes(call)) throw failure(armed?.errno ?? "EIO", `${call} ${path}`);
  };
  return {
    calls,
    repair: () => {
      armed = undefined;
    },
    open: (path, flags, mode) => {
      check("open", path);
      return fs.open(path, flags, mode);
    },
    close: (fd) => {
      fs.close(fd);
      check("close", `${fd}`);
    },
    read: (fd, bytes, offset, length, position) => {
      check("read", `${fd}`);
      return fs.read(fd, bytes, offset, length, position);
    },
    write: (fd, bytes, offset, length) => {
      check("write", `${fd}`);
      return fs.write(fd, bytes, offset, length);
    },
    fsync: (fd) => {
      if (strikes("fsync")) {
        fs.failSync?.(fd);
        throw failure(armed?.errno ?? "EIO", `fsync ${fd}`);
      }
      fs.fsync(fd);
    },
    fstat: (fd) => {
      check("fstat", `${fd}`);
      return fs.fstat(fd);
    },
    lstat: (path) => {
      check("lstat", path);
      return fs.lstat(path);
    },
    link: (from, to) => {
      check("link", to);
      fs.link(from, to);
    },
    rename: (from, to) => {
      check("rename", to);
      fs.rename(from, to);
    },
    unlink: (path) => {
      check("unlink", path);
      fs.unlink(path);
    },
    mkdir: (path, mode) => {
      check("mkdir", path);
      fs.mkdir(path, mode);
    },
    readdir: (path) => {
      check("readdir", path);
      return fs.readdir(path);
    },
  };
}

/** `fs` that takes and gives at most `most` bytes a call. */
export function shortWrites(fs: FileSystem, most: number): FileSystem {
  return {
    ...fs,
    write: (fd, bytes, offset, length) => fs.write(fd, bytes, offset, Math.min(most, length)),
    read: (fd, bytes, offset, length, position) =>
      fs.read(fd, bytes, offset, Math.min(most, length), position),
  };
}
