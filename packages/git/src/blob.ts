import { createHash } from "node:crypto";
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readlinkSync,
  readSync,
  type Stats,
} from "node:fs";

/** Which hash names a repository's objects. */
export type Algorithm = "sha1" | "sha256";

/** The hash that an object's id is of. */
export function algorithmOfId(id: string): Algorithm {
  return id.length === SHA256_DIGITS ? "sha256" : "sha1";
}

const SHA256_DIGITS = 64;

/** What git would store of a file or a link, byte by byte: no filter, no conversion of line endings. */
export interface Blob {
  readonly mode: "100644" | "100755" | "120000";
  readonly id: string;
  /** In bytes. */
  readonly size: number;
}

/** The id of an object of git's with these bytes. */
export function objectId(kind: "blob" | "tree", bytes: Buffer, algorithm: Algorithm): string {
  return createHash(algorithm).update(`${kind} ${bytes.length}\0`).update(bytes).digest("hex");
}

/**
 * What a path is as a blob: `"folder"` where it is one, `undefined` for a device, a pipe or a socket. Follows no
 * link; starts no process.
 *
 * @throws the system's error, also where nothing is there; {Error} where the file changes while it is read.
 */
export function blobAt(file: Buffer, algorithm: Algorithm): Blob | "folder" | undefined {
  return blobOf(file, lstatSync(file), algorithm);
}

/** The same, given what `lstat` says of it. */
export function blobOf(
  file: Buffer,
  stat: Stats,
  algorithm: Algorithm,
): Blob | "folder" | undefined {
  if (stat.isDirectory()) return "folder";
  if (stat.isSymbolicLink()) {
    const target = readlinkSync(file, { encoding: "buffer" });
    return { mode: "120000", id: objectId("blob", target, algorithm), size: target.length };
  }
  if (!stat.isFile()) return undefined;
  return { mode: (stat.mode & 0o100) === 0 ? "100644" : "100755", ...hashed(file, algorithm) };
}

const CHUNK_BYTES = 2 ** 18;

function hashed(file: Buffer, algorithm: Algorithm): Pick<Blob, "id" | "size"> {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  const fd = openSync(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    const { size } = fstatSync(fd);
    const hash = createHash(algorithm).update(`blob ${size}\0`);
    const chunk = Buffer.allocUnsafe(Math.min(size + 1, CHUNK_BYTES));
    let bytes = 0;
    for (;;) {
      const count = readSync(fd, chunk);
      hash.update(chunk.subarray(0, count));
      bytes += count;
      // What ends where it should, and before there was no more room, has ended.
      if (count === 0 || (bytes === size && count < chunk.length)) break;
    }
    if (bytes !== size) throw new Error("it has changed while it was read");
    return { id: hash.digest("hex"), size };
  } finally {
    closeSync(fd);
  }
}
