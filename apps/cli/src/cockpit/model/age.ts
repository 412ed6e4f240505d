/**
 * For how long something lasts, in as few changes as a reader needs: at first each second, then `10 s`, … `50 s`, then
 * `1 min`, then `1 h 5`. A row that changed each second for hours would draw the eye to nothing.
 */
export function age(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  if (seconds < 60) return `${seconds < 10 ? seconds : seconds - (seconds % 10)} s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60}`;
}

/** For how long something has lasted: `41 s`, then as {@link age}. */
export function lasted(ms: number): string {
  return ms < 60_000 ? `${Math.max(0, Math.floor(ms / 1000))} s` : age(ms);
}

/** Milliseconds since a point in time; `undefined` where that is unknown. */
export function since(rfc3339: string, now: number): number | undefined {
  const at = Date.parse(rfc3339);
  return Number.isNaN(at) ? undefined : Math.max(0, now - at);
}

/** {@link age} since a point in time; `""` where that is unknown. */
export function ageSince(rfc3339: string, now: number): string {
  const ms = since(rfc3339, now);
  return ms === undefined ? "" : age(ms);
}
