import { createHash } from "node:crypto";
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readSync,
  type Stats,
} from "node:fs";
import { join } from "node:path";
import type { FileSnapshot } from "./hook-file.ts";

export interface SnapshotOptions {
  /** How much is read of all files together; a file that is larger than what is left is not. @default 64 MiB */
  readonly maxBytes?: number | undefined;
}

/**
 * How files of a work tree are now, each path once, in the order given.
 *
 * Nothing is followed or waited for: a path that leaves the work tree or goes through a link does not
 * exist; of a link, FIFO, folder or a file too large to read, `sha256` is `""`. It never throws for
 * what it finds: what cannot be read does not exist, what cannot be read has no hash.
 *
 * @param paths - Relative to `worktree`, `/` between parts.
 * @see SPEC.md, "File snapshots"
 */
export function snapshotFiles(
  worktree: string,
  paths: readonly string[],
  { maxBytes = 64 * 2 ** 20 }: SnapshotOptions = {},
): readonly FileSnapshot[] {
  let left = maxBytes;
  return [...new Set(paths)].map((path) => {
    const stat = lookAt(worktree, path);
    if (stat === undefined) return { path, size: 0, modTime: "", sha256: "", exists: false };
    const hash =
      stat.isFile() && stat.size <= left ? hashOf(join(worktree, path), left) : undefined;
    left -= hash?.size ?? 0;
    return {
      path,
      size: stat.size,
      modTime: timeOf(stat),
      sha256: hash?.sha256.slice(0, 16) ?? "",
      exists: true,
    };
  });
}

/** `undefined` unless every folder on the way is one, and within the work tree. */
function lookAt(worktree: string, path: string): Stats | undefined {
  const parts = path.split("/");
  if (parts.some((part) => part === "" || part === "." || part === ".." || part.includes("\0"))) {
    return undefined;
  }
  let at = worktree;
  for (const [index, part] of parts.entries()) {
    at = join(at, part);
    const stat = attempt(() => lstatSync(at));
    if (stat === undefined || index === parts.length - 1) return stat;
    if (!stat.isDirectory()) return undefined;
  }
  return undefined;
}

const YEAR_10000 = 253_402_300_800_000;

/** `""` for a time that RFC 3339 cannot tell: anybody can give a file any time. */
function timeOf({ mtimeMs }: Stats): string {
  return mtimeMs >= 0 && mtimeMs < YEAR_10000 ? new Date(mtimeMs).toISOString() : "";
}

const CHUNK = 64 * 1024;

function hashOf(path: string, most: number): { sha256: string; size: number } | undefined {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  const fd = attempt(() => openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK));
  if (fd === undefined) return undefined;
  try {
    return attempt(() => {
      const stat = fstatSync(fd);
      if (!stat.isFile() || stat.size > most) return undefined;
      const hash = createHash("sha256");
      const chunk = new Uint8Array(CHUNK);
      let size = 0;
      while (size < stat.size) {
        const count = readSync(fd, chunk, 0, Math.min(CHUNK, stat.size - size), null);
        if (count === 0) break; // it has become shorter
        hash.update(chunk.subarray(0, count));
        size += count;
      }
      return { sha256: hash.digest("hex"), size };
    });
  } finally {
    closeSync(fd);
  }
}

/** `undefined` where the system refuses. */
function attempt<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch (error) {
    if (error instanceof Error && "syscall" in error) return undefined;
    throw error;
  }
}
