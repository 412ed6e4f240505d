/** Whether an error, or what caused it, is a system error with one of these codes. */
export function hasErrno(error: unknown, ...codes: readonly string[]): boolean {
  if (!(error instanceof Error)) return false;
  const isOne = "code" in error && codes.some((code) => code === error.code);
  return isOne || hasErrno(error.cause, ...codes);
}

/** Makes a change that is as good as made where it fails with one of these codes. */
export function ignoring(errnos: readonly string[], change: () => void): void {
  try {
    change();
  } catch (error) {
    if (!hasErrno(error, ...errnos)) throw error;
  }
}
