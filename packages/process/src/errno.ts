import { constants } from "node:os";

/** What Node has no names for: it calls them `Unknown system error -122`. */
const UNNAMED: ReadonlyMap<number, readonly [code: string, words: string]> = new Map([
  [-constants.errno.EDQUOT, ["EDQUOT", "disk quota exceeded"]],
  [-constants.errno.ESTALE, ["ESTALE", "stale file handle"]],
]);

/**
 * Gives an error of the system the name that Node lacks, in its code and its message: `EDQUOT`, `ESTALE`.
 *
 * @returns The same error, whatever it is.
 */
export function withName<E>(error: E): E {
  if (!(error instanceof Error) || !("errno" in error)) return error;
  const unnamed = error as NodeJS.ErrnoException;
  const [code, words] = UNNAMED.get(unnamed.errno ?? 0) ?? [];
  if (code === undefined || unnamed.code === code) return error;
  const said = `Unknown system error ${unnamed.errno}`;
  const name = (text: string): string => text.replace(`${said}: ${said}`, `${code}: ${words}`);
  unnamed.stack = name(unnamed.stack ?? "");
  unnamed.message = name(unnamed.message);
  unnamed.code = code;
  return error;
}

/**
 * Makes calls of the system; their errors have the names that Node lacks.
 *
 * @param path - Of what the calls are about: that of an error which names none, as of a write. @default none
 */
export function named<T>(call: () => T, path?: string): T {
  try {
    return call();
  } catch (error) {
    if (path !== undefined && isOfSystem(error)) error.path ??= path;
    throw withName(error);
  }
}

function isOfSystem(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && "syscall" in error;
}

/** Whether an error is a system error with one of these codes. */
export function hasErrno(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof Error && "code" in error && codes.includes(String(withName(error).code));
}

/** Whether the system has no room on a disk for what was to be written. */
export function isFullDisk(error: unknown): boolean {
  return hasErrno(error, "ENOSPC", "EDQUOT");
}

/** What is gone, or another user's, is not seen. */
export function unlessHidden<Value>(read: () => Value): Value | undefined {
  try {
    return read();
  } catch (error) {
    if (hasErrno(error, "ENOENT", "ENOTDIR", "ESRCH", "EACCES", "EPERM")) return undefined;
    throw error;
  }
}
