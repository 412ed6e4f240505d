import { Buffer } from "node:buffer";
import { HookFileError } from "./errors.ts";

/**
 * Between a value in memory and one that JSON holds. Both ways refuse the same, so that nothing is
 * written that could not be read.
 */
export interface Codec<T> {
  /** @param where - The field, for the message: `steps[2].name`. */
  readonly decode: (value: unknown, where: string) => T;
  readonly encode: (value: T, where: string) => unknown;
  /** Whether the key may be absent, and is where the value is empty. */
  readonly isOptional?: boolean;
}

export type CodecOf<T> = { readonly [Key in keyof T]-?: Codec<Exclude<T[Key], undefined>> };

/** @throws {HookFileError} always: `ERR_INVALID_HOOK_FILE` */
export function refuse(where: string, wanted: string): never {
  throw new HookFileError("ERR_INVALID_HOOK_FILE", `${where || "the file"} is not ${wanted}`);
}

/** The same in memory and on disk. */
function same<T>(accept: (value: unknown) => T | undefined, wanted: string): Codec<T> {
  const check = (value: unknown, where: string): T => accept(value) ?? refuse(where, wanted);
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
    <From, To>(change: (value: From, where: string) => To) =>
    (value: unknown, where: string): readonly To[] => {
      if (!Array.isArray(value)) return refuse(where, "a list");
      if (value.length > most) return refuse(where, `a list of at most ${most}`);
      return value.map((one: From, index) => change(one, `${where}[${index}]`));
    };
  return { decode: each(item.decode), encode: each(item.encode) };
}

export function optional<T>(codec: Codec<T>): Codec<T> {
  return { ...codec, isOptional: true };
}

type JsonObject = Readonly<Record<string, unknown>>;

/** An object whose keys are this table's, in snake_case; others are kept as they are. */
export function object<T extends object>(fields: CodecOf<T>): Codec<T> {
  const table = Object.entries(fields) as [string, Codec<unknown>][];
  const known = table.map(([key, codec]) => ({ key, name: snakeCase(key), codec }));
  const names = new Set(known.map(({ name }) => name));
  const keys = new Set(known.map(({ key }) => key));

  return {
    decode(value, where) {
      const found = plainObject(value, where);
      const decoded: Record<string, unknown> = {};
      for (const { key, name, codec } of known) {
        if (Object.hasOwn(found, name)) decoded[key] = codec.decode(found[name], at(where, name));
        else if (codec.isOptional !== true) refuse(at(where, name), "there");
      }
      for (const name of Object.keys(found)) {
        if (names.has(name)) continue;
        if (keys.has(name)) refuse(at(where, name), `a key: it is ${snakeCase(name)}`);
        decoded[name] = json.decode(found[name], at(where, shown(name)));
      }
      return decoded as T;
    },
    encode(value, where) {
      const given = plainObject(value, where);
      const encoded: Record<string, unknown> = {};
      for (const { key, name, codec } of known) {
        const one = given[key];
        if (codec.isOptional === true && isEmpty(one)) continue;
        encoded[name] = codec.encode(one, at(where, name));
      }
      for (const name of Object.keys(given)) {
        if (keys.has(name) || given[name] === undefined) continue;
        if (names.has(name)) refuse(at(where, name), "a key of an object in memory");
        encoded[name] = json.encode(given[name], at(where, shown(name)));
      }
      return encoded;
    },
  };
}

function snakeCase(key: string): string {
  return key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function at(where: string, name: string): string {
  return where === "" ? name : `${where}.${name}`;
}

/** Of a key that came with the data. */
function shown(name: string): string {
  return /^\w{1,64}$/.test(name) ? name : "(an odd key)";
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === "" || (Array.isArray(value) && value.length === 0);
}

function plainObject(value: unknown, where: string): JsonObject {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return refuse(where, "an object");
  }
  if (Object.hasOwn(value, "__proto__")) return refuse(at(where, "__proto__"), "a key");
  return value as JsonObject;
}

const MAX_DEPTH = 16;

/** Anything that JSON holds, nested no deeper than 16; what is undefined is left out. */
const json: Codec<unknown> = { decode: copyJson, encode: copyJson };

export const jsonObject: Codec<JsonObject> = {
  decode: (value, where) => copyJson(plainObject(value, where), where) as JsonObject,
  encode: (value, where) => copyJson(plainObject(value, where), where),
};

function copyJson(value: unknown, where: string, depth = 1): unknown {
  if (typeof value === "string") return value.toWellFormed();
  if (value === null || typeof value === "boolean" || Number.isFinite(value)) return value;
  if (typeof value !== "object") return refuse(where, "a value that JSON holds");
  if (depth > MAX_DEPTH) return refuse(where, `nested less than ${MAX_DEPTH} deep`);
  if (Array.isArray(value)) {
    return value.map((one, index) => copyJson(one, `${where}[${index}]`, depth + 1));
  }
  const entries = Object.entries(plainObject(value, where)).filter(([, one]) => one !== undefined);
  return Object.fromEntries(
    entries.map(([name, one]) => [name, copyJson(one, at(where, shown(name)), depth + 1)]),
  );
}
