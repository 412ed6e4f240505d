// A journal may hold anything: what of a record is not of the kind that is asked for is as if it were not there.

export function textIn(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** The texts of a list; none of anything else. */
export function textsIn(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === "string") : [];
}

export function numberIn(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

/** A count from 0. */
export function countIn(value: unknown): number | undefined {
  return Number.isSafeInteger(value) && Number(value) >= 0 ? Number(value) : undefined;
}

/** The number of a cycle; 0 where there is none. */
export function cycleIn(value: unknown): number {
  return countIn(value) ?? 0;
}

export function objectIn(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, unknown>>)
    : {};
}

export function objectsIn(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) ? value.map(objectIn) : [];
}

/** A time, RFC 3339 to the millisecond; `""` for anything else. */
export function timeIn(value: unknown): string {
  const ms = Date.parse(textIn(value));
  return Number.isNaN(ms) ? "" : new Date(ms).toISOString();
}

/** A commit's full id; `""` for anything else. */
export function shaIn(value: unknown): string {
  const text = textIn(value);
  return /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/u.test(text) ? text : "";
}
