import { lstatSync, type Stats } from "node:fs";
import { type Algorithm, type Blob, blobOf } from "./blob.ts";

/**
 * What files were found to hold, so that a later look reads those alone that have changed since. Lives in
 * this process's memory and nowhere else: nobody else can have written it.
 */
export interface SeenFiles {
  /** As `blobAt`: what the path is as a blob; of a file that has not changed since, without reading it. */
  blobAt(file: Buffer, algorithm: Algorithm): Blob | "folder" | undefined;
}

export interface SeenFilesOptions {
  /** Milliseconds since 1970. @default the system's clock */
  readonly now?: (() => number) | undefined;
}

/** A change gives a file a time that differs from one so long ago, however coarse its file system's clock. */
const SETTLED_MS = 2_500;

type Identifying = Pick<Stats, "dev" | "ino" | "size" | "mode" | "mtimeMs" | "ctimeMs">;

interface Seen extends Identifying {
  readonly algorithm: Algorithm;
  readonly blob: Blob;
}

/**
 * A memory of files, to be passed on from look to look at the same work tree.
 *
 * @see SPEC.md, "The work tree's id", for what it relies on
 */
export function seenFiles({ now = Date.now }: SeenFilesOptions = {}): SeenFiles {
  const seen = new Map<string, Seen>();
  return {
    blobAt(file, algorithm) {
      const path = file.toString("latin1");
      const at = now();
      const stat = lstatSync(file);
      const before = seen.get(path);
      if (before?.algorithm === algorithm && isSame(before, stat)) return before.blob;
      const blob = blobOf(file, stat, algorithm);
      const isSettled = stat.ctimeMs < at - SETTLED_MS;
      if (isSettled && typeof blob === "object") {
        const { dev, ino, size, mode, mtimeMs, ctimeMs } = stat;
        seen.set(path, { algorithm, dev, ino, size, mode, mtimeMs, ctimeMs, blob });
      } else seen.delete(path);
      return blob;
    },
  };
}

/** The change time is the system's: unlike the time of modification, nobody can set it to another one. */
function isSame(before: Identifying, now: Identifying): boolean {
  return (
    before.ctimeMs === now.ctimeMs &&
    before.mtimeMs === now.mtimeMs &&
    before.size === now.size &&
    before.ino === now.ino &&
    before.dev === now.dev &&
    before.mode === now.mode
  );
}
