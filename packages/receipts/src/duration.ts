/**
 * A duration for people, as Go's `time.Duration` prints it: `12.3s`, `1m30.5s`, `2h0m0s`, `345ms`.
 *
 * @param ms - Whole milliseconds, 0 or more.
 */
export function durationText(ms: number): string {
  if (ms > 0 && ms < 1000) return `${ms}ms`;
  const minutes = Math.floor(ms / 60_000);
  const seconds = `${(ms - minutes * 60_000) / 1000}s`;
  if (minutes === 0) return seconds;
  return minutes < 60
    ? `${minutes}m${seconds}`
    : `${Math.floor(minutes / 60)}h${minutes % 60}m${seconds}`;
}
