import { posix } from "node:path";

/**
 * A path within the repository, without needless parts: `./a//b/` becomes `a/b`, and `""` the root, `"."`.
 * `undefined` for one that leaves it, is absolute, or holds control characters.
 */
export function pathWithin(text: string): string | undefined {
  if (/\p{Cc}/u.test(text) || !text.isWellFormed() || text.startsWith("/")) return undefined;
  const path = posix.normalize(text).replace(/\/$/, "");
  return path === ".." || path.startsWith("../") ? undefined : path;
}

/** Whether a text names one file within the repository that is none of git's. */
export function isFileWithin(text: string): boolean {
  const path = pathWithin(text);
  return path !== undefined && path !== "." && !/(?:^|\/)\.git(?:\/|$)/i.test(path);
}

/** Whether a text is the name of a folder and nothing more. */
export function isPlainName(text: string): boolean {
  return /^(?!\.{1,2}$)[^/\\\p{Cc}]{1,255}$/u.test(text);
}
