import { lstatSync, readFileSync, type Stats } from "node:fs";
import { isGone } from "./errors.ts";

/**
 * What a file holds; `undefined` where there is none, or something else, or more. Follows no link, and waits for no pipe
 * that stands in its place.
 *
 * @throws the system's error
 */
export function plainFile(path: string, maxBytes: number): Buffer | undefined {
  const stat = entryAt(path);
  if (stat?.isFile() !== true || stat.size > maxBytes) return undefined;
  return unlessGone(() => readFileSync(path));
}

/** What is at a path itself; `undefined`: nothing. @throws the system's error */
export function entryAt(path: string): Stats | undefined {
  return unlessGone(() => lstatSync(path));
}

function unlessGone<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch (error) {
    if (isGone(error)) return undefined;
    throw error;
  }
}
