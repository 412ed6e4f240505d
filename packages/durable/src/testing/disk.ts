import { constants } from "node:fs";
import type { FileStat, FileSystem } from "../file-system.ts";
import { type Effect, EMPTY_IMAGE, type Image, patched, ROOT } from "./effects.ts";

/** Thrown by every call of a process that was killed, so that its clean-up changes nothing either. */
export class ProcessKilled extends Error {
  override readonly name = "ProcessKilled";
}

export interface SimulatedFileSystem extends FileSystem {
  /** A sync that fails: what it should have written may or may not reach the disk, ever. */
  failSync(fd: number): void;
}

/** A disk in memory, with what is in the system's cache already on it. */
export interface SimulatedDisk {
  /** A new process on this disk. It shares nothing with other processes but the disk. */
  connect(): SimulatedFileSystem;
  /** Ends every process there is: their calls throw {@link ProcessKilled}. */
  kill(): void;
}

interface Node {
  readonly ino: number;
  readonly mode: number;
  /** Of a folder. */
  readonly entries: Map<string, number> | undefined;
  data: Uint8Array;
  /** Changes of `data` so far. */
  changes: number;
}

interface OpenFile {
  readonly node: Node;
  position: number;
}

/**
 * A disk that holds `image` and tells of each effect right after it happened.
 *
 * @param onEffect - May call `kill` of the disk: the call in progress then throws, half done.
 */
export function createDisk(
  image: Image = EMPTY_IMAGE,
  onEffect: (effect: Effect) => void = () => {},
): SimulatedDisk {
  const nodes = new Map<number, Node>();
  for (const [ino, names] of image.names) {
    nodes.set(ino, { ino, mode: 0o700, entries: new Map(names), data: NO_BYTES, changes: 0 });
  }
  for (const [ino, data] of image.files) {
    nodes.set(ino, { ino, mode: 0o600, entries: undefined, data, changes: 0 });
  }
  let lastIno = Math.max(ROOT, ...nodes.keys());
  let generation = 0;

  const find = (path: string): Node | undefined => {
    let at = nodes.get(ROOT);
    for (const name of partsOf(path)) {
      if (at !== undefined && at.entries === undefined) throw failure("ENOTDIR", path);
      const ino = at?.entries?.get(name);
      at = ino === undefined ? undefined : nodes.get(ino);
    }
    return at;
  };
  const parentOf = (path: string): { dir: Node; name: string; entries: Map<string, number> } => {
    const parts = partsOf(path);
    const name = parts.at(-1);
    const dir = find(parts.slice(0, -1).join("/"));
    if (dir === undefined || name === undefined) throw failure("ENOENT", path);
    if (dir.entries === undefined) throw failure("ENOTDIR", path);
    return { dir, name, entries: dir.entries };
  };
  const existing = (path: string): Node => {
    const node = find(path);
    if (node === undefined) throw failure("ENOENT", path);
    return node;
  };
  const create = (path: string, mode: number, entries: Map<string, number> | undefined): Node => {
    const parent = parentOf(path);
    lastIno += 1;
    const node: Node = { ino: lastIno, mode, entries, data: NO_BYTES, changes: 0 };
    nodes.set(node.ino, node);
    parent.entries.set(parent.name, node.ino);
    if (entries !== undefined) onEffect({ type: "folder", ino: node.ino });
    const change = { dir: parent.dir.ino, name: parent.name, ino: node.ino };
    onEffect({ type: "names", changes: [change], over: false });
    return node;
  };

  const connect = (): SimulatedFileSystem => {
    const born = generation;
    const files = new Map<number, OpenFile>();
    let lastFd = 2;
    const alive = (): void => {
      if (born !== generation) throw new ProcessKilled("the process was killed");
    };
    const fileOf = (fd: number): OpenFile => {
      alive();
      const file = files.get(fd);
      if (file === undefined) throw failure("EBADF", `descriptor ${fd}`);
      return file;
    };
    return {
      open: (path, flags, mode = 0o666) => {
        alive();
        let node = find(path);
        if (node !== undefined && flags & constants.O_CREAT && flags & constants.O_EXCL) {
          throw failure("EEXIST", path);
        }
        if (node === undefined) {
          if (!(flags & constants.O_CREAT)) throw failure("ENOENT", path);
          node = create(path, mode, undefined);
        } else if (flags & constants.O_TRUNC && node.data.length > 0) {
          node.data = NO_BYTES;
          node.changes += 1;
          onEffect({ type: "truncate", ino: node.ino });
        }
        if (flags & constants.O_DIRECTORY && node.entries === undefined) {
          throw failure("ENOTDIR", path);
        }
        alive();
        lastFd += 1;
        files.set(lastFd, { node, position: 0 });
        return lastFd;
      },
      close: (fd) => {
        fileOf(fd);
        files.delete(fd);
      },
      read: (fd, bytes, offset, length, position) => {
        const file = fileOf(fd);
        const at = position ?? file.position;
        const part = file.node.data.subarray(at, at + length);
        bytes.set(part, offset);
        if (position === undefined) file.position += part.length;
        return part.length;
      },
      write: (fd, bytes, offset, length) => {
        const file = fileOf(fd);
        const step = Math.max(1, Math.ceil(length / CHUNKS));
        for (let done = 0; done < length; done += step) {
          const chunk = bytes.slice(offset + done, offset + Math.min(done + step, length));
          file.node.data = patched(file.node.data, file.position, chunk);
          file.node.changes += 1;
          onEffect({ type: "data", ino: file.node.ino, offset: file.position, bytes: chunk });
          file.position += chunk.length;
          alive();
        }
        return length;
      },
      fsync: (fd) => {
        onEffect({ type: "sync", ino: fileOf(fd).node.ino, failed: false });
        alive();
      },
      failSync: (fd) => {
        onEffect({ type: "sync", ino: fileOf(fd).node.ino, failed: true });
      },
      fstat: (fd) => statOf(fileOf(fd).node),
      lstat: (path) => {
        alive();
        const node = find(path);
        return node && statOf(node);
      },
      link: (from, to) => {
        alive();
        const { ino } = existing(from);
        const { dir, name, entries } = parentOf(to);
        if (entries.has(name)) throw failure("EEXIST", to);
        entries.set(name, ino);
        onEffect({ type: "names", changes: [{ dir: dir.ino, name, ino }], over: false });
        alive();
      },
      rename: (from, to) => {
        alive();
        const { ino } = existing(from);
        const source = parentOf(from);
        const target = parentOf(to);
        const replaced = target.entries.get(target.name);
        if (replaced === ino) return; // two names of one file: POSIX says to do nothing
        source.entries.delete(source.name);
        target.entries.set(target.name, ino);
        const changes = [
          { dir: target.dir.ino, name: target.name, ino },
          { dir: source.dir.ino, name: source.name, ino: 0 },
        ];
        onEffect({ type: "names", changes, over: replaced !== undefined });
        alive();
      },
      unlink: (path) => {
        alive();
        existing(path);
        const { dir, name, entries } = parentOf(path);
        entries.delete(name);
        onEffect({ type: "names", changes: [{ dir: dir.ino, name, ino: 0 }], over: false });
        alive();
      },
      mkdir: (path, mode) => {
        alive();
        if (find(path) !== undefined) throw failure("EEXIST", path);
        create(path, mode, new Map());
        alive();
      },
      readdir: (path) => {
        alive();
        const { entries } = existing(path);
        if (entries === undefined) throw failure("ENOTDIR", path);
        return [...entries.keys()];
      },
    };
  };
  return {
    connect,
    kill: () => {
      generation += 1;
    },
  };
}

/** Into how many pieces a crash may tear one write. */
const CHUNKS = 3;

const NO_BYTES = new Uint8Array();

const parts = new Map<string, readonly string[]>();

function partsOf(path: string): readonly string[] {
  const known = parts.get(path);
  if (known !== undefined) return known;
  const split = path.split("/").filter((part) => part !== "");
  if (parts.size > 10_000) parts.clear();
  parts.set(path, split);
  return split;
}

function statOf(node: Node): FileStat {
  return {
    kind: node.entries === undefined ? "file" : "directory",
    size: node.data.length,
    mode: node.mode,
    uid: 0,
    dev: 1n,
    ino: BigInt(node.ino),
    ctimeNs: BigInt(node.changes),
  };
}

/** A system error, as `node:fs` throws it. */
export function failure(code: string, path: string): Error {
  return Object.assign(new Error(`${code}: ${path}`), { code });
}
