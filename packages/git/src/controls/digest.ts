import { createHash } from "node:crypto";
import { lstatSync, readFileSync, readlinkSync, statSync } from "node:fs";
import { isGone } from "../errors.ts";

/** More of a file is known by its size and times. */
const MAX_BYTES = 4 * 2 ** 20;

export function digestOf(bytes: Uint8Array | string): string {
  return createHash("sha256").update(bytes).digest("hex").slice(0, 24);
}

/** A file or folder of which nobody here may know what is in it: git may start it all the same. */
export const UNREADABLE = "unreadable";

/** A folder, a device or a pipe: what is read of it may be something else each time. */
export const NOT_A_FILE = "not a file";

/** What a file holds, in a few characters; `undefined` where there is none. Of a link what it leads to. */
export function fileDigest(path: string): string | undefined {
  return readable(() => {
    const stat = statSync(path);
    const { size, mtimeMs, ctimeMs } = stat;
    if (!stat.isFile()) return NOT_A_FILE;
    return size > MAX_BYTES ? `${size} ${mtimeMs} ${ctimeMs}` : digestOf(readFileSync(path));
  });
}

/** Where a link leads; `undefined` for what is none. */
export function linkTarget(path: string): string | undefined {
  const target = readable(() => (lstatSync(path).isSymbolicLink() ? readlinkSync(path) : ""));
  return target === "" ? undefined : target;
}

/**
 * What is read; `undefined` where it is not there. What cannot be read for another reason than a lack of rights is an
 * error: nobody can say then that it is as it was.
 */
export function readable<T>(read: () => T): T | typeof UNREADABLE | undefined {
  try {
    return read();
  } catch (error) {
    if (isGone(error)) return undefined;
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EACCES" || code === "EPERM") return UNREADABLE;
    throw error;
  }
}
