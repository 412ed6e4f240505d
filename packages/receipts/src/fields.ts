import { ReceiptError } from "./errors.ts";

/** Whether a value is of the kind; text in messages names the kind. */
export interface Kind {
  readonly says: string;
  readonly accepts: (value: unknown) => boolean;
}

/** Each field's key on disk and what it may hold, in the order on disk. */
export type Fields<T> = { readonly [K in keyof T]-?: readonly [key: string, kind: Kind] };

const matching = (pattern: RegExp, says: string): Kind => ({
  says,
  accepts: (value) => typeof value === "string" && pattern.test(value),
});

const integer = (least: number, most: number): Kind => ({
  says: `an integer from ${least} to ${most}`,
  accepts: (value) => Number.isInteger(value) && Number(value) >= least && Number(value) <= most,
});

const isText = (value: unknown): boolean => typeof value === "string" && value.isWellFormed();

export const text: Kind = { says: "well-formed text", accepts: isText };
export const texts: Kind = {
  says: "a list of well-formed texts",
  accepts: (value) => Array.isArray(value) && value.every(isText),
};
export const name: Kind = {
  says: "text that is not empty",
  accepts: (value) => isText(value) && value !== "",
};
export const count = integer(0, Number.MAX_SAFE_INTEGER);
export const positive = integer(1, Number.MAX_SAFE_INTEGER);
export const index = integer(0, 2 ** 31 - 1);
/** Go's is -1 where a signal ended the command. */
export const anyExitCode = integer(-1, 255);
export const exitCode = integer(0, 255);
export const sha256 = matching(/^[0-9a-f]{64}$/, "64 lowercase hex digits");
export const keyId = matching(/^[0-9a-f]{16}$/, "16 lowercase hex digits");
export const gitId = matching(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/, "40 or 64 lowercase hex digits");
export const signalName = matching(/^SIG[A-Z0-9]+$/, "the name of a signal");
export const time: Kind = {
  says: "RFC 3339, UTC, with milliseconds",
  accepts: (value) => {
    if (typeof value !== "string") return false;
    const date = new Date(value);
    return !Number.isNaN(date.valueOf()) && date.toISOString() === value;
  },
};
/** As another program writes it: any offset, any number of digits. */
export const anyTime: Kind = {
  says: "RFC 3339",
  accepts: (value) =>
    typeof value === "string" &&
    /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/.test(value) &&
    !Number.isNaN(Date.parse(value)),
};

export const exactly = (expected: string | number): Kind => ({
  says: JSON.stringify(expected),
  accepts: (value) => value === expected,
});

/** Absent in memory, `null` on disk. */
export const optional = (kind: Kind): Kind => ({
  says: `${kind.says}, or nothing`,
  accepts: (value) => value === undefined || kind.accepts(value),
});

/**
 * The fields of a value under their keys, in order; others are left behind.
 *
 * @throws {ReceiptError} `ERR_INVALID_RECEIPT`, naming the field.
 */
export function toRecord<T extends object>(value: T, fields: Fields<T>): Record<string, unknown> {
  const record: Record<string, unknown> = {};
  for (const field of fieldsOf(fields)) {
    const [key, kind] = fields[field];
    if (!kind.accepts(value[field])) throw refused(key, kind);
    record[key] = value[field] ?? null;
  }
  return record;
}

/**
 * Reads what {@link toRecord} wrote: all of its keys and no others.
 *
 * @throws {ReceiptError} `ERR_INVALID_RECEIPT`, naming the field.
 */
export function fromRecord<T extends object>(record: unknown, fields: Fields<T>): T {
  if (typeof record !== "object" || record === null || Array.isArray(record)) {
    throw new ReceiptError("ERR_INVALID_RECEIPT", "it is not an object");
  }
  const found = new Map<string, unknown>(Object.entries(record));
  const value: Partial<T> = {};
  for (const field of fieldsOf(fields)) {
    const [key, kind] = fields[field];
    if (!found.has(key)) throw new ReceiptError("ERR_INVALID_RECEIPT", `${key} is missing`);
    const member = found.get(key) ?? undefined;
    if (!kind.accepts(member)) throw refused(key, kind);
    if (member !== undefined) value[field] = member as T[keyof T];
    found.delete(key);
  }
  for (const key of found.keys()) {
    throw new ReceiptError("ERR_INVALID_RECEIPT", `${JSON.stringify(key)} is no field of it`);
  }
  return value as T;
}

/** @throws {ReceiptError} `ERR_INVALID_RECEIPT` */
export function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch (error) {
    throw new ReceiptError("ERR_INVALID_RECEIPT", "it is not JSON", { cause: error });
  }
}

function fieldsOf<T>(fields: Fields<T>): readonly (keyof T)[] {
  return Object.keys(fields) as (keyof T)[];
}

function refused(key: string, kind: Kind): ReceiptError {
  return new ReceiptError("ERR_INVALID_RECEIPT", `${key} is not ${kind.says}`);
}
