import { Buffer } from "node:buffer";
import type { Checkpoint } from "./checkpoint.ts";
import { CheckpointError } from "./errors.ts";
import { checkedValue, writeField } from "./field-value.ts";
import {
  ARTIFACTS_KEY,
  type Field,
  FINDING_FIELDS,
  FINDING_LISTS,
  HEAD_FIELDS,
  KNOWN_KEYS,
  LARGE_FIELDS,
  LEDGER_FIELDS,
  LEDGER_KEY,
  LIST_FIELDS,
  OUTCOME_FIELDS,
  OUTCOME_KEY,
  PROTECTED_FIELDS,
  PROTECTED_KEY,
  QUESTION_FIELDS,
  QUESTION_KEY,
  SEALED_KEY,
  SETTINGS_KEY,
  TURN_FIELDS,
} from "./fields.ts";
import { NO_REFERENCES, type References, referencesTable } from "./references.ts";
import { checkShape } from "./shape.ts";
import { MAX_MARKS, scanScalars } from "./toml-source.ts";
import { blockOpenings, writeBlock, writeEntries, writeInline } from "./toml-write.ts";

/** Most bytes of a checkpoint file, its seal included. */
export const MAX_CHECKPOINT_BYTES: number = 4 * 1024 * 1024;

/** Longer than this, a value leaves the head to the others. */
const MAX_HEAD_VALUE = 320;

/**
 * A checkpoint as a TOML text, without a seal.
 *
 * @throws {CheckpointError} What decoding the text would: `ERR_INCOMPATIBLE_VERSION`;
 *   `ERR_INVALID_CHECKPOINT` for a value out of range, or too many of them; `ERR_TOO_LARGE` over 4 MiB.
 * @see SPEC.md, "Order"
 */
export function encodeCheckpoint(checkpoint: Checkpoint): string {
  const parts = writeCheckpoint(checkpoint, false);
  checkMarks(parts);
  const text = parts.join("");
  const bytes = Buffer.byteLength(text);
  if (bytes > MAX_CHECKPOINT_BYTES) throw tooLarge(bytes);
  return text;
}

export function tooLarge(bytes: number): CheckpointError {
  const message = `the checkpoint has ${bytes} bytes, ${MAX_CHECKPOINT_BYTES} is the most`;
  return new CheckpointError("ERR_TOO_LARGE", message);
}

/**
 * The text, of whatever size, in parts to be joined.
 *
 * @param isSealed - Says in its head that a seal is going to follow.
 * @param references - The texts that are excerpts. @default none
 */
export function writeCheckpoint(
  checkpoint: Checkpoint,
  isSealed: boolean,
  references: References = NO_REFERENCES,
): readonly string[] {
  checkShape(checkpoint);
  const head: string[] = [];
  const rest: string[] = [];
  const put = (key: string, value: string): void => {
    (value.length > MAX_HEAD_VALUE ? rest : head).push(`${key} = ${value}`);
  };

  for (const [key, value] of writeFields(HEAD_FIELDS, checkpoint)) {
    put(key, value);
    if (isSealed && key === "version") put(SEALED_KEY, "1");
  }
  const { turn, outcome, settings, extra } = checkpoint;
  if (turn !== undefined) {
    for (const [key, value] of writeFields(TURN_FIELDS, turn, "turn.")) put(key, value);
  }
  if (outcome !== undefined) {
    put(OUTCOME_KEY, writeInline(writeFields(OUTCOME_FIELDS, outcome).map(line)));
  }
  rest.push(...writeFields(LIST_FIELDS, checkpoint).map(line));
  for (const { key, name } of FINDING_LISTS) {
    if (checkpoint[name].length === 0) rest.push(`${key} = []`);
  }
  for (const key of Object.keys(extra)) {
    if (!KNOWN_KEYS.has(key)) continue;
    throw new CheckpointError("ERR_INVALID_CHECKPOINT", `${key} is not an unknown key`);
  }
  const tables = {
    ...(references.size > 0 && { [ARTIFACTS_KEY]: referencesTable(references) }),
    ...(settings && { [SETTINGS_KEY]: settings }),
  };
  const kept = writeEntries({ ...tables, ...extra });
  const parts = [[...head, ...rest, ...kept, ""].join("\n")];
  for (const field of LARGE_FIELDS) {
    const text = checkedValue(field, checkpoint[field.name]) as string;
    if (isDefault(field, text)) continue;
    parts.push(`${field.key} = `, ...writeBlock(text), "\n");
  }
  for (const { key, name } of FINDING_LISTS) {
    for (const finding of checkpoint[name]) parts.push(writeTable(key, FINDING_FIELDS, finding));
  }
  for (const question of checkpoint.questions) {
    parts.push(writeTable(QUESTION_KEY, QUESTION_FIELDS, question));
  }
  for (const path of checkpoint.protectedPaths) {
    parts.push(writeTable(PROTECTED_KEY, PROTECTED_FIELDS, path));
  }
  for (const entry of checkpoint.ledger) parts.push(writeTable(LEDGER_KEY, LEDGER_FIELDS, entry));
  return parts;
}

/**
 * Refuses a text with more keys and values than are read.
 *
 * @throws {CheckpointError} `ERR_INVALID_CHECKPOINT`
 */
export function checkMarks(text: readonly string[]): void {
  const isBlock = (at: number): boolean => blockOpenings.has(text[at - 1] ?? "");
  const length = text.reduce((sum, part, at) => sum + (isBlock(at) ? 0 : part.length), 0);
  if (length > MAX_MARKS) scanScalars(text.join("")); // each mark is at least one character
}

/** Key and value of each field, those left out that go without saying. */
function writeFields<Name extends string>(
  fields: readonly Field<Name>[],
  values: Readonly<Partial<Record<Name, unknown>>>,
  prefix = "",
): readonly (readonly [key: string, value: string])[] {
  const written: (readonly [string, string])[] = [];
  for (const field of fields) {
    const key = prefix + field.key;
    const value = checkedValue(field, values[field.name], key);
    if (!isDefault(field, value)) written.push([key, writeField(field, value)]);
  }
  return written;
}

function line([key, value]: readonly [key: string, value: string]): string {
  return `${key} = ${value}`;
}

/** Whether the file needs no such key: where it is absent, this is read. */
function isDefault(field: Field, value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0 && field.absent !== undefined;
  return value === field.absent;
}

function writeTable<Name extends string>(
  list: string,
  fields: readonly Field<Name>[],
  values: Readonly<Record<Name, unknown>>,
): string {
  const lines = fields.map((field) => {
    const value = checkedValue(field, values[field.name], `${list}.${field.key}`);
    return `${field.key} = ${writeField(field, value)}\n`;
  });
  return `\n[[${list}]]\n${lines.join("")}`;
}
