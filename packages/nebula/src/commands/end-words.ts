/** What a command of a nebula may take at most. */
export const COMMAND_LIMITS = { timeoutMs: 30 * 60_000, maxOutputBytes: 64 * 2 ** 20 } as const;

const WHY = {
  time: `after ${COMMAND_LIMITS.timeoutMs / 60_000} minutes, the longest that a command may run`,
  output: `because it printed more than ${COMMAND_LIMITS.maxOutputBytes / 2 ** 20} MiB`,
} as const;

/** How a command has ended, for a coder and a person: its exit code, and the limit for which Quasar has ended it. */
export function endWords({
  exitCode,
  limit,
}: {
  readonly exitCode: number;
  readonly limit?: keyof typeof WHY | undefined;
}): string {
  const code = `exit ${exitCode}`;
  return limit === undefined ? code : `${code}: Quasar ended it ${WHY[limit]}`;
}
