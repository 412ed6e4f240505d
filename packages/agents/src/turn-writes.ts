import * as fs from "node:fs";
import { dirname } from "node:path";

const { O_APPEND, O_CREAT, O_DIRECTORY, O_EXCL, O_NOFOLLOW, O_RDONLY, O_RDWR, O_WRONLY } =
  fs.constants;

/** A file of a turn that did not exist, to be added to and read. */
export function createFile(path: string): number {
  return fs.openSync(path, O_RDWR | O_CREAT | O_EXCL | O_APPEND | O_NOFOLLOW, 0o600);
}

const draftOf = (path: string): string => `${path}.${process.pid}.tmp`;

/** Writes what is to be in a file's place. @returns Its descriptor. */
export function draft(path: string, content: string): number {
  const fd = emptyDraft(path);
  writeAll(fd, Buffer.from(content));
  return fd;
}

function emptyDraft(path: string): number {
  fs.rmSync(draftOf(path), { force: true });
  return fs.openSync(draftOf(path), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
}

/** Puts it there. */
export function place(path: string, fd: number): void {
  fs.closeSync(fd);
  fs.renameSync(draftOf(path), path);
}

/** Puts it there once something else is done; where either fails, nothing of it stays. */
export function placeAfter(path: string, fd: number, act: () => void): void {
  try {
    act();
    place(path, fd);
  } catch (error) {
    fs.rmSync(draftOf(path), { force: true });
    throw error;
  }
}

const COPY_BYTES = 2 ** 20;

/** Puts what is in an open file there, synced, by the name that it had. */
export function replaceBy(path: string, from: number): void {
  const fd = emptyDraft(path);
  const bytes = Buffer.allocUnsafeSlow(COPY_BYTES);
  for (let at = 0; ; ) {
    const size = fs.readSync(from, bytes, 0, bytes.length, at);
    if (size === 0) break;
    writeAll(fd, bytes.subarray(0, size));
    at += size;
  }
  fs.fsyncSync(fd);
  place(path, fd);
}

/** Of a file in it. */
export function syncFolder(path: string): void {
  const folder = fs.openSync(dirname(path), O_RDONLY | O_DIRECTORY);
  fs.fsyncSync(folder);
  fs.closeSync(folder);
}

export function writeAll(fd: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; ) at += fs.writeSync(fd, bytes, at);
}
