/** Whether an error is a system error with one of these codes. */
export function hasErrno(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof Error && "code" in error && codes.includes(String(error.code));
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
