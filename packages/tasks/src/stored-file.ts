import { DurableError, loadFile, replaceFile, type ReplaceFileOptions } from "@quasar/durable";
import type * as v from "valibot";
import { safeParse } from "valibot";
import { TasksError } from "./errors.ts";
import { firstIssue } from "./first-issue.ts";
import { diskName, fromDisk, type Opaque, toDisk } from "./stored-names.ts";

/** How a value is kept in a file of JSON: known keys in snake_case, others as they are. */
export interface Stored<T> {
  readonly encode: (value: T) => Uint8Array;
  readonly decode: (bytes: Uint8Array) => T;
}

export interface StoredOptions<T> {
  /** Of the value in memory, without `extra`; says in its messages what a value should be. */
  readonly schema: v.GenericSchema<unknown, Omit<T, "extra">>;
  /** The root's keys in memory, in the file's order. */
  readonly keys: readonly (keyof Omit<T, "extra">)[];
  /** What `schema_version` is. */
  readonly version: string | number;
  readonly isOpaque?: Opaque | undefined;
}

interface WithExtra {
  readonly extra: Readonly<Record<string, unknown>>;
}

/** Both ways refuse the same, so that nothing is written that could not be read: `ERR_DAMAGED`. */
export function stored<T extends WithExtra>(options: StoredOptions<T>): Stored<T> {
  const { schema, version, isOpaque = () => false } = options;
  const keys = options.keys as readonly string[];
  const names = new Set(keys.map(diskName));
  const check = (value: unknown): Omit<T, "extra"> => {
    const result = safeParse(schema, value);
    if (result.success) return result.output;
    throw damaged(firstIssue(result.issues, diskName));
  };
  return {
    encode(value) {
      const found = value as Readonly<Record<string, unknown>>;
      const known = Object.fromEntries(keys.map((key) => [key, found[key]]));
      check(known);
      const file = {
        ...(toDisk(known, isOpaque) as object),
        schema_version: version,
        ...value.extra,
      };
      return Buffer.from(`${JSON.stringify(file, undefined, 2)}\n`);
    },
    decode(bytes) {
      const found = parseJson(bytes);
      if (typeof found !== "object" || found === null || Array.isArray(found)) {
        throw damaged("the file is not an object");
      }
      const entries = Object.entries(found);
      const written: unknown = new Map(entries).get("schema_version");
      if (written !== version) throw damaged(`schema_version is not ${JSON.stringify(version)}`);
      const isKnown = ([key]: [string, unknown]): boolean => names.has(key);
      const known = fromDisk(Object.fromEntries(entries.filter(isKnown)), isOpaque);
      const rest = entries.filter((entry) => !isKnown(entry) && entry[0] !== "schema_version");
      return { ...check(known), extra: Object.fromEntries(rest) } as unknown as T;
    },
  };
}

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes), (key, value) => {
      if (key === "__proto__") throw new SyntaxError("a key is __proto__");
      return value as unknown;
    });
  } catch (error) {
    throw damaged("the file is not JSON in UTF-8", { cause: error });
  }
}

const MAX_BYTES = 16 * 1024 * 1024;

/**
 * The newest generation that can be read; `undefined` where there is no file.
 *
 * @throws {TasksError} `ERR_DAMAGED`
 */
export function loadStored<T>(path: string, { decode }: Stored<T>): T | undefined {
  try {
    return loadFile(path, decode, { maxBytes: MAX_BYTES })?.value;
  } catch (error) {
    if (!(error instanceof DurableError)) throw error;
    throw damaged(reasonOf(path, error), { cause: error });
  }
}

/** Durably, 0600, and keeps the generation before, unless told not to. @throws {TasksError} `ERR_DAMAGED` */
export function saveStored<T>(
  path: string,
  { encode }: Stored<T>,
  value: T,
  { keepPrevious = true }: Pick<ReplaceFileOptions, "keepPrevious"> = {},
): void {
  replaceFile(path, encode(value), { keepPrevious });
}

/** Of both generations, the reason why the newest was refused. */
function reasonOf(path: string, error: DurableError): string {
  const [first] = error.cause instanceof AggregateError ? (error.cause.errors as Error[]) : [];
  return `${path}: ${(first ?? error).message}`;
}

function damaged(message: string, options?: ErrorOptions): TasksError {
  return new TasksError("ERR_DAMAGED", message, options);
}
