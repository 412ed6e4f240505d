import { HookFileError } from "../errors.ts";

/** Milliseconds. */
const UNITS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};

/**
 * Reads a duration as people write it (`7d`, `5m`, `1h30m`, `0`), in milliseconds: whole numbers, each
 * with one of `ms`, `s`, `m`, `h`, `d`, `w`, added up.
 *
 * @throws {HookFileError} `ERR_INVALID_DURATION`, also for a negative one.
 */
export function parseRetention(text: string): number {
  if (text === "0") return 0;
  const parts = /^(?:\d+(?:ms|[smhdw]))+$/.test(text) ? [...text.matchAll(/(\d+)([a-z]+)/g)] : [];
  const total = parts.reduce((sum, [, count, unit = ""]) => {
    return sum + Number(count) * (UNITS[unit] ?? Number.NaN);
  }, 0);
  if (parts.length > 0 && Number.isSafeInteger(total)) return total;
  const message = `${JSON.stringify(text)} is no duration such as 12h, 7d or 2w`;
  throw new HookFileError("ERR_INVALID_DURATION", message);
}
