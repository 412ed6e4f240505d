const UNITS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

const IN = /try again in ((?:\d+(?:\.\d+)?\s*(?:ms|s|m|h|d)[a-z]*[\s,]*)+)/i;
const PART = /(\d+(?:\.\d+)?)\s*(ms|s|m|h|d)/gi;
const AT =
  /try again at (?:([A-Z][a-z]{2})[a-z]* (\d{1,2})[a-z]{0,2}, (\d{4}),? )?(\d{1,2}):(\d\d) ?([AP])M/i;
const MONTHS = "janfebmaraprmayjunjulaugsepoctnovdec";

/**
 * When a limit is lifted, from Codex's prose: "try again in 2s", "try again at 3:00 AM", "try again
 * at Nov 22nd, 2026 3:00 AM", the latter two in local time.
 */
export function retryAtOf(text: string, now: Date): Date | undefined {
  const span = IN.exec(text)?.[1];
  if (span !== undefined) {
    const parts = [...span.matchAll(PART)];
    const ms = parts.reduce(
      (sum, [, count, unit]) => sum + Number(count) * (UNITS[unit?.toLowerCase() ?? ""] ?? 0),
      0,
    );
    return new Date(now.getTime() + ms);
  }
  const at = AT.exec(text);
  if (!at) {
    return undefined;
  }
  const [, month, day, year, hour, minute, half] = at;
  const hours = (Number(hour) % 12) + (half?.toUpperCase() === "P" ? 12 : 0);
  if (month !== undefined) {
    const index = MONTHS.indexOf(month.toLowerCase()) / 3;
    return new Date(Number(year), index, Number(day), hours, Number(minute));
  }
  const today = new Date(now);
  today.setHours(hours, Number(minute), 0, 0);
  if (today <= now) {
    today.setDate(today.getDate() + 1);
  }
  return today;
}
