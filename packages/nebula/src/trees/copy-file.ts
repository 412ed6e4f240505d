import { randomBytes } from "node:crypto";
import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  fsyncSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  writeSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { messageOf } from "@quasar/runs/internal";

const { O_RDONLY, O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK } = constants;

const CHUNK_BYTES = 1024 * 1024;

/** A file that was to be copied cannot be read; `cause` says why. */
export class UnreadableSource extends Error {
  override readonly name = "UnreadableSource";
}

/** What reading a file comes to. @throws {UnreadableSource} */
export function fromSource<T>(read: () => T): T {
  try {
    return read();
  } catch (cause) {
    throw new UnreadableSource(`it cannot be read: ${messageOf(cause)}`, { cause });
  }
}

/**
 * Copies a plain file with its mode, whole or not at all: what a crash cuts off has another name. Its content is durable
 * then, its name is not yet. A link at its end is not followed.
 *
 * @param to - Where nothing is, in a folder that is there.
 * @throws {UnreadableSource}
 */
export function copyFile(from: string, to: string): void {
  const half = join(dirname(to), `.quasar-copy-${randomBytes(6).toString("hex")}`);
  // A pipe that has taken the file's place is not waited for.
  const source = fromSource(() => openSync(from, O_RDONLY | O_NOFOLLOW | O_NONBLOCK));
  try {
    writeHalf(source, half);
    renameSync(half, to);
  } catch (error) {
    rmSync(half, { force: true });
    throw error;
  } finally {
    closeSync(source);
  }
}

function writeHalf(source: number, half: string): void {
  const target = openSync(half, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
  try {
    const chunk = new Uint8Array(CHUNK_BYTES);
    for (let read = -1; read !== 0; ) {
      read = fromSource(() => readSync(source, chunk));
      for (let at = 0; at < read; ) at += writeSync(target, chunk, at, read - at);
    }
    fchmodSync(target, fstatSync(source).mode & 0o777);
    fsyncSync(target);
  } finally {
    closeSync(target);
  }
}
