import { type BigIntStats, lstatSync } from "node:fs";
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

/**
 * A memory of files, to be passed on from look to look at the same work tree.
 *
 * @see SPEC.md, "The work tree's id", for what it relies on
 */
export function seenFiles({ now = Date.now }: SeenFilesOptions = {}): SeenFiles {
  const seen = new Map<string, { readonly signature: string; readonly blob: Blob }>();
  return {
    blobAt(file, algorithm) {
      const key = `${algorithm}:${file.toString("latin1")}`;
      const at = now();
      const stat = lstatSync(file, { bigint: true });
      const signature = signatureOf(stat);
      const before = seen.get(key);
      if (before?.signature === signature) return before.blob;
      const blob = blobOf(file, stat, algorithm);
      const isSettled = Number(stat.ctimeMs) < at - SETTLED_MS;
      if (isSettled && typeof blob === "object") seen.set(key, { signature, blob });
      else seen.delete(key);
      return blob;
    },
  };
}

/** The change time is the system's: unlike the time of modification, nobody can set it to another one. */
function signatureOf({ dev, ino, size, mode, mtimeNs, ctimeNs }: BigIntStats): string {
  return [dev, ino, size, mode, mtimeNs, ctimeNs].join(" ");
}
