import { clean } from "@quasar/runs/text";

/** More than any fact of ours is. */
const MOST_DEEP = 8;

/** A journal is a file, and what is in it may not be what we have written: no text of it may act. */
export function cleaned(value: unknown, depth: number = 0): unknown {
  if (typeof value === "string") return clean(value);
  if (typeof value !== "object" || value === null) return value;
  if (depth === MOST_DEEP) return "…";
  const within = (each: unknown): unknown => cleaned(each, depth + 1);
  if (Array.isArray(value)) return value.map(within);
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, within(each)]));
}
