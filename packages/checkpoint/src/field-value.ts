import { CheckpointError } from "./errors.ts";
import type { Field, FieldType } from "./fields.ts";
import { PHASES } from "./phases.ts";
import { isTimestamp } from "./time.ts";
import { writeAmount, writeText, writeTexts } from "./toml-write.ts";

/** What is known of a type of values. */
interface Rule {
  /** The value, made well-formed; `undefined` for what is not of the type or out of range. */
  readonly accept: (value: unknown, field: Field) => unknown;
  /** Says what a refused value is not. */
  readonly wanted: string;
  /** An accepted value in TOML, on one line. */
  readonly write: (value: unknown) => string;
}

const rules: Readonly<Record<FieldType, Rule>> = {
  text: {
    accept: (value) => (typeof value === "string" ? value.toWellFormed() : undefined),
    wanted: "a text",
    write: (value) => writeText(value as string),
  },
  texts: {
    accept: (value) =>
      Array.isArray(value) && value.every((item) => typeof item === "string")
        ? value.map((item) => item.toWellFormed())
        : undefined,
    wanted: "a list of texts",
    write: (value) => writeTexts(value as readonly string[]),
  },
  integer: {
    accept: (value) =>
      Number.isSafeInteger(value) && Number(value) >= 0 ? Number(value) + 0 : undefined,
    wanted: "a whole number of 0 or more",
    write: String,
  },
  amount: {
    accept: (value) =>
      typeof value === "number" && value >= 0 && value < Infinity ? value + 0 : undefined,
    wanted: "a finite number of 0 or more",
    write: (value) => writeAmount(value as number),
  },
  flag: {
    accept: (value) => (typeof value === "boolean" ? value : undefined),
    wanted: "true or false",
    write: String,
  },
  time: {
    accept: (value) => (typeof value === "string" && isTimestamp(value) ? value : undefined),
    wanted: "an RFC 3339 time with its offset, on a day that exists",
    write: String,
  },
  phase: {
    accept: (value) => (PHASES.some((phase) => phase === value) ? value : undefined),
    wanted: `a phase, 0 to ${PHASES.length - 1}`,
    write: (value) => String(PHASES.findIndex((phase) => phase === value)),
  },
  choice: {
    accept: (value, { among }) => among?.find((choice) => choice === value),
    wanted: "one of the words known here",
    write: (value) => writeText(value as string),
  },
};

/**
 * A value as it may stand in a checkpoint. One rule holds for what is written and for what was
 * read, so that neither side refuses what the other let through.
 *
 * @throws {CheckpointError} `ERR_INVALID_CHECKPOINT`, naming the key.
 */
export function checkedValue(field: Field, value: unknown, key: string = field.key): unknown {
  const { accept, wanted } = rules[field.type];
  const accepted = accept(value, field);
  if (accepted !== undefined) return accepted;
  throw new CheckpointError("ERR_INVALID_CHECKPOINT", `${key} is not ${wanted}`);
}

/** A checked value in TOML, on one line. */
export function writeField(field: Field, value: unknown): string {
  return rules[field.type].write(value);
}
