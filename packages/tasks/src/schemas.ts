import * as v from "valibot";

/** Shapes of single values, whose messages complete "… is not". */

export const text = v.pipe(
  v.string("a text"),
  v.maxBytes(64 * 1024, "a text of at most 64 KiB"),
  v.transform((value) => value.toWellFormed()),
);

export const time = v.pipe(
  v.string("an RFC 3339 time in UTC"),
  v.regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z$/, "an RFC 3339 time in UTC"),
);

export const count = v.pipe(
  v.number("a whole number of 0 or more"),
  v.safeInteger("a whole number of 0 or more"),
  v.minValue(0, "a whole number of 0 or more"),
);

export const amount = v.pipe(
  v.number("a number of 0 or more"),
  v.finite("a number of 0 or more"),
  v.minValue(0, "a number of 0 or more"),
);

export const flag = v.boolean("true or false");

/** A commit's id, or none. */
export const sha = v.pipe(
  v.string("a commit's id"),
  v.regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})?$/, "a commit's id"),
);

export const absolutePath = v.pipe(
  v.string("an absolute path"),
  v.regex(/^(?:\/|[A-Za-z]:[\\/])[^\0]{0,4095}$/, "an absolute path"),
);

/** An id that is a folder's name. */
export const folderName = v.pipe(
  v.string("fit for a folder's name"),
  v.regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/, "fit for a folder's name"),
);

export const anything = v.record(v.string(), v.unknown(), "a table");

export function oneOf<const T extends string>(words: readonly T[]): v.GenericSchema<unknown, T> {
  return v.picklist(words, `one of ${words.join(", ")}`) as v.GenericSchema<unknown, T>;
}

export function list<T>(item: v.GenericSchema<unknown, T>): v.GenericSchema<unknown, readonly T[]> {
  return v.pipe(v.array(item, "a list"), v.maxLength(10_000, "a list of at most 10000"));
}

/** Other keys than these stay as they are. */
export function table<T extends v.ObjectEntries>(entries: T): v.LooseObjectSchema<T, "a table"> {
  return v.looseObject(entries, "a table");
}
