import { Buffer } from "node:buffer";
import { HookFileError } from "../errors.ts";

/**
 * Between a value in memory and one that JSON holds. Both ways refuse the same, so that nothing is
 * written that could not be read.
 */
export interface Codec<T> {
  readonly decode: (value: unknown) => T;
  readonly encode: (value: T) => unknown;
  /** For which values the key is left out. @default for none: it has to be there */
  readonly isLeftOut?: (value: unknown) => boolean;
}

export type CodecOf<T> = { readonly [Key in keyof T]-?: Codec<Exclude<T[Key], undefined>> };

/** What is wrong with a value, and where it is within what was checked. */
class FieldError extends Error {
  override readonly name = "FieldError";
  /** From the outermost: `.steps`, `[2]`, `.name`. */
  readonly path: string[] = [];
}

/** @param wanted - What the value is not. */
export function refuse(wanted: string): never {
  throw new FieldError(wanted);
}

/**
 * Decodes, encodes or checks a whole.
 *
 * @throws {HookFileError} `ERR_INVALID_HOOK_FILE`, naming the field: `steps[2].name is not …`.
 */
export function whole<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof FieldError)) throw error;
    const where = error.path.join("").replace(/^\./, "") || "the file";
    throw new HookFileError("ERR_INVALID_HOOK_FILE", `${where} is not ${error.message}`);
  }
}

/** Does something with what is at a place. */
export function within<T>(place: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof FieldError) error.path.unshift(place);
    throw error;
  }
}

/** The same in memory and on disk. */
function same<T>(accept: (value: unknown) => T | undefined, wanted: string): Codec<T> {
  const check = (value: unknown): T => accept(value) ?? refuse(wanted);
  return { decode: check, encode: check };
}

/**
 * Well-formed Unicode: half of a surrogate pair becomes U+FFFD.
 *
 * @param most - Bytes of UTF-8.
 */
export function text(most = 64 * 1024): Codec<string> {
  return same(
    (value) =>
      typeof value === "string" && isShort(value, most) ? value.toWellFormed() : undefined,
    `a text of at most ${most} bytes`,
  );
}

function isShort(value: string, most: number): boolean {
  return value.length * 3 <= most || Buffer.byteLength(value) <= most;
}

export function matching(shape: RegExp, wanted: string): Codec<string> {
  return same(
    (value) => (typeof value === "string" && shape.test(value) ? value : undefined),
    wanted,
  );
}

export function integer(least: number, most = Number.MAX_SAFE_INTEGER): Codec<number> {
  const isIn = (value: number): boolean => value >= least && value <= most;
  return same(
    (value) => (Number.isSafeInteger(value) && isIn(value as number) ? Number(value) : undefined),
    `a whole number of ${least} or more`,
  );
}

export const flag: Codec<boolean> = same(
  (value) => (typeof value === "boolean" ? value : undefined),
  "true or false",
);

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z$/;

export const time: Codec<string> = same((value) => {
  if (typeof value !== "string" || !TIME.test(value)) return undefined;
  const at = Date.parse(value); // takes 30 February for 1 March
  const isReal = !Number.isNaN(at) && new Date(at).toISOString().startsWith(value.slice(0, 19));
  return isReal ? value : undefined;
}, "an RFC 3339 time in UTC");

export function oneOf<const T extends string>(words: readonly T[]): Codec<T> {
  return same((value) => words.find((word) => word === value), `one of ${words.join(", ")}`);
}

export function list<T>(item: Codec<T>, most = 10_000): Codec<readonly T[]> {
  const each =
    <From, To>(change: (value: From) => To) =>
    (value: unknown): readonly To[] => {
      if (!Array.isArray(value)) return refuse("a list");
      if (value.length > most) return refuse(`a list of at most ${most}`);
      return mapItems(value as readonly From[], change);
    };
  return { decode: each(item.decode), encode: each(item.encode) };
}

function mapItems<From, To>(items: readonly From[], change: (item: From) => To): readonly To[] {
  let index = 0;
  try {
    return items.map((item, at) => {
      index = at;
      return change(item);
    });
  } catch (error) {
    if (error instanceof FieldError) error.path.unshift(`[${index}]`);
    throw error;
  }
}

/** @param isLeftOut - For which values the key is absent. @default those that are empty */
export function optional<T>(codec: Codec<T>, isLeftOut = isEmpty): Codec<T> {
  return { ...codec, isLeftOut };
}

type JsonObject = Readonly<Record<string, unknown>>;

/** An object whose keys are this table's, in snake_case; others are kept as they are. */
export function object<T extends object>(fields: CodecOf<T>): Codec<T> {
  const table = Object.entries(fields) as [string, Codec<unknown>][];
  const known = table.map(([key, codec]) => ({ key, name: snakeCase(key), codec }));
  const names = new Set(known.map(({ name }) => name));
  const keys = new Set(known.map(({ key }) => key));

  const decodeFields = (found: JsonObject, note: (name: string) => void): object => {
    const decoded: Record<string, unknown> = {};
    for (const { key, name, codec } of known) {
      note(name);
      if (Object.hasOwn(found, name)) decoded[key] = codec.decode(found[name]);
      else if (codec.isLeftOut === undefined) refuse("there");
    }
    for (const name of Object.keys(found)) {
      if (names.has(name)) continue;
      note(shown(name));
      if (keys.has(name)) refuse(`a key: it is ${snakeCase(name)}`);
      decoded[name] = copyJson(found[name], 1);
    }
    return decoded;
  };

  const encodeFields = (given: JsonObject, note: (name: string) => void): object => {
    const encoded: Record<string, unknown> = {};
    for (const { key, name, codec } of known) {
      const value = given[key];
      if (codec.isLeftOut?.(value) === true) continue;
      note(name);
      encoded[name] = codec.encode(value);
    }
    for (const name of Object.keys(given)) {
      if (keys.has(name) || given[name] === undefined) continue;
      note(shown(name));
      if (names.has(name)) refuse("a key of an object in memory");
      encoded[name] = copyJson(given[name], 1);
    }
    return encoded;
  };

  return {
    decode: (value) => naming(plainObject(value), decodeFields) as T,
    encode: (value) => naming(plainObject(value), encodeFields),
  };
}

/** Where something is wrong, it is with the field that was noted last. */
function naming(
  value: JsonObject,
  change: (value: JsonObject, note: (name: string) => void) => object,
): object {
  let last = "";
  try {
    return change(value, (name) => {
      last = name;
    });
  } catch (error) {
    if (error instanceof FieldError) error.path.unshift(`.${last}`);
    throw error;
  }
}

function snakeCase(key: string): string {
  return key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** Of a key that came with the data. */
function shown(name: string): string {
  return /^\w{1,64}$/.test(name) ? name : "(an odd key)";
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === "" || (Array.isArray(value) && value.length === 0);
}

function plainObject(value: unknown): JsonObject {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return refuse("an object");
  }
  if (Object.hasOwn(value, "__proto__")) refuse("without the key __proto__");
  return value as JsonObject;
}

/** Whole numbers by name. */
export function numbers(least: number): Codec<Readonly<Record<string, number>>> {
  const number = integer(least);
  const check = (value: unknown): Readonly<Record<string, number>> =>
    Object.fromEntries(
      Object.entries(plainObject(value)).map(([name, one]) => [
        name,
        within(`.${shown(name)}`, () => number.decode(one)),
      ]),
    );
  return { decode: check, encode: check };
}

const MAX_DEPTH = 16;

/** An object of anything that JSON holds, nested no deeper than 16; what is undefined is left out. */
export const jsonObject: Codec<JsonObject> = {
  decode: (value) => copyObject(plainObject(value), 1),
  encode: (value) => copyObject(plainObject(value), 1),
};

function copyJson(value: unknown, depth: number): unknown {
  if (typeof value === "string") return value.toWellFormed();
  if (value === null || typeof value === "boolean" || Number.isFinite(value)) return value;
  if (typeof value !== "object") return refuse("a value that JSON holds");
  if (depth > MAX_DEPTH) return refuse(`nested less than ${MAX_DEPTH} deep`);
  if (Array.isArray(value)) return mapItems(value, (one) => copyJson(one, depth + 1));
  return copyObject(plainObject(value), depth);
}

function copyObject(value: JsonObject, depth: number): JsonObject {
  const copy: Record<string, unknown> = {};
  for (const [name, one] of Object.entries(value)) {
    if (one !== undefined) copy[name] = within(`.${shown(name)}`, () => copyJson(one, depth + 1));
  }
  return copy;
}
