import { createHash } from "node:crypto";
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readlinkSync,
  readSync,
} from "node:fs";
import { GitError, isGone, messageOf } from "./errors.ts";
import { quoted } from "./text.ts";
import { pathBytes } from "./tree-stream.ts";

/** What a path of a work tree holds, byte by byte: no filter, no conversion of line endings. */
export interface Content {
  /** From the root of the work tree, `/` between parts. */
  readonly path: string;
  /** Git's mode; `000000` where nothing is, `160000` for a folder, which is not looked into. */
  readonly mode: "100644" | "100755" | "120000" | "160000" | "000000";
  /** Id of the blob; `""` where the mode has none. */
  readonly id: string;
}

const CHUNK_BYTES = 2 ** 18;

/**
 * What paths hold now. Starts no process; follows no link, a path behind one holds nothing.
 *
 * @param root - The top folder of the work tree.
 * @throws {GitError} `ERR_SNAPSHOT_FAILED` where one cannot be read.
 */
export function readContents(
  root: string,
  paths: readonly string[],
  algorithm: "sha1" | "sha256",
): readonly Content[] {
  return paths.map((path) => contentAt(root, path, algorithm));
}

function contentAt(root: string, path: string, algorithm: "sha1" | "sha256"): Content {
  const file = pathBytes(root, Buffer.from(path.replace(/\/$/u, "")).toString("latin1"));
  try {
    if (isBehindLink(root, path)) return { path, mode: "000000", id: "" };
    const stat = lstatSync(file);
    if (stat.isDirectory()) return { path, mode: "160000", id: "" };
    if (stat.isSymbolicLink()) {
      const target = readlinkSync(file, { encoding: "buffer" });
      const hash = createHash(algorithm).update(`blob ${target.length}\0`).update(target);
      return { path, mode: "120000", id: hash.digest("hex") };
    }
    if (!stat.isFile()) return { path, mode: "000000", id: "" };
    const mode = (stat.mode & 0o100) === 0 ? "100644" : "100755";
    return { path, mode, id: hashFile(file, algorithm) };
  } catch (error) {
    if (isGone(error)) return { path, mode: "000000", id: "" };
    const message = `${quoted(path)} could not be read: ${messageOf(error)}`;
    throw new GitError("ERR_SNAPSHOT_FAILED", message, { cause: error });
  }
}

function isBehindLink(root: string, path: string): boolean {
  const parts = path.split("/").slice(0, -1);
  return parts.some((_, at) => {
    const folder = Buffer.from(parts.slice(0, at + 1).join("/")).toString("latin1");
    return lstatSync(pathBytes(root, folder)).isSymbolicLink();
  });
}

function hashFile(file: Buffer, algorithm: "sha1" | "sha256"): string {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  const fd = openSync(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    const { size } = fstatSync(fd);
    const hash = createHash(algorithm).update(`blob ${size}\0`);
    const chunk = Buffer.allocUnsafe(Math.min(size + 1, CHUNK_BYTES));
    let bytes = 0;
    for (;;) {
      const count = readSync(fd, chunk);
      if (count === 0) break;
      hash.update(chunk.subarray(0, count));
      bytes += count;
    }
    if (bytes !== size) throw new Error("it has changed while it was read");
    return hash.digest("hex");
  } finally {
    closeSync(fd);
  }
}
