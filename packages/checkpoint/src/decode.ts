import { Buffer } from "node:buffer";
import { parse, TomlDate } from "smol-toml";
import type { Checkpoint, CheckpointFinding, TomlValue } from "./checkpoint.ts";
import { createCheckpoint } from "./create.ts";
import { MAX_CHECKPOINT_BYTES, tooLarge } from "./encode.ts";
import { CheckpointError } from "./errors.ts";
import { checkedValue } from "./field-value.ts";
import {
  ARTIFACTS_KEY,
  type Field,
  FINDING_FIELDS,
  FINDING_LISTS,
  KNOWN_KEYS,
  LEDGER_FIELDS,
  LEDGER_KEY,
  OUTCOME_FIELDS,
  OUTCOME_KEY,
  PROTECTED_FIELDS,
  PROTECTED_KEY,
  QUESTION_FIELDS,
  QUESTION_KEY,
  ROOT_FIELDS,
  SEALED_KEY,
  SETTINGS_KEY,
  TURN_FIELDS,
  keysOf,
} from "./fields.ts";
import { findingId } from "./finding-id.ts";
import { PHASES } from "./phases.ts";
import { readReferences, type References } from "./references.ts";
import { isTable, type Table } from "./table.ts";
import { MAX_DEPTH, scanScalars } from "./toml-source.ts";
import { checkVersion } from "./version.ts";

/** A key's value, and how the file wrote it. */
interface Written {
  readonly value: unknown;
  /** Known for a number or a date at the root only. */
  readonly source: string | undefined;
}

const integerSource = /^(?:[+-]?[0-9_]+|0[xob][0-9A-Fa-f_]+)$/;

/**
 * The checkpoint that a TOML text holds. A seal at its end is a comment here: the store judges it, and
 * has the texts whole of which the file keeps an excerpt only.
 *
 * @throws {CheckpointError} `ERR_INCOMPATIBLE_VERSION`, before any other key is checked;
 *   `ERR_INVALID_CHECKPOINT` for what is no TOML, or a value missing, of another type or out of
 *   range; `ERR_TOO_LARGE` over 4 MiB.
 * @see SPEC.md, "Reading"
 */
export function decodeCheckpoint(text: string): Checkpoint {
  if (text.length > MAX_CHECKPOINT_BYTES) throw tooLarge(text.length);
  const bytes = Buffer.byteLength(text);
  if (bytes > MAX_CHECKPOINT_BYTES) throw tooLarge(bytes);
  return readCheckpoint(text.toWellFormed()).checkpoint;
}

/** A checkpoint, and what its file says of itself. */
export interface ReadCheckpoint {
  readonly checkpoint: Checkpoint;
  readonly saysSealed: boolean;
  /** The texts of which it has an excerpt only. */
  readonly references: References;
}

/** As {@link decodeCheckpoint}, of whatever size. */
export function readCheckpoint(text: string): ReadCheckpoint {
  const scalars = scanScalars(text);
  const root = parseToml(text);
  checkVersion(root["version"]);

  // Filled in, not built up: an object that grows by 30 keys is slow ever after.
  const read: Record<string, unknown> = { ...createCheckpoint() };
  readFields(read, root, "", ROOT_FIELDS, scalars);
  for (const { key, name } of FINDING_LISTS) read[name] = readFindings(root[key], key);
  read["questions"] = readTables(root, QUESTION_KEY, QUESTION_FIELDS);
  read["protectedPaths"] = readTables(root, PROTECTED_KEY, PROTECTED_FIELDS);
  read["ledger"] = readTables(root, LEDGER_KEY, LEDGER_FIELDS);
  readOptionalTable(read, root, "turn", TURN_FIELDS, scalars);
  readOptionalTable(read, root, OUTCOME_KEY, OUTCOME_FIELDS, scalars);
  const settings = optionalTable(root, SETTINGS_KEY);
  if (settings !== undefined) read[SETTINGS_KEY] = plainValue(settings, MAX_DEPTH);
  read["extra"] = readExtra(root);
  return {
    checkpoint: read as unknown as Checkpoint,
    saysSealed: SEALED_KEY in root,
    references: readReferences(optionalTable(root, ARTIFACTS_KEY) ?? {}),
  };
}

/** What is kept of the keys that this version does not know. */
function readExtra(root: Table): Checkpoint["extra"] {
  const unknown = Object.keys(root).filter((key) => !KNOWN_KEYS.has(key));
  return Object.fromEntries(unknown.map((key) => [key, plainValue(root[key], MAX_DEPTH)]));
}

function parseToml(text: string): Table {
  if (text.trim() === "") throw invalid("it is empty");
  try {
    return parse(text, { maxDepth: MAX_DEPTH });
  } catch (error) {
    const reason = error instanceof Error ? error.message.split("\n", 1)[0] : "";
    throw new CheckpointError("ERR_INVALID_CHECKPOINT", `not a checkpoint: ${reason}`, {
      cause: error,
    });
  }
}

function invalid(reason: string): CheckpointError {
  return new CheckpointError("ERR_INVALID_CHECKPOINT", `not a checkpoint: ${reason}`);
}

/** Copies named fields only, so that no key of a file ever becomes a prototype. */
export function readFields(
  read: Record<string, unknown>,
  table: Table,
  prefix: string,
  fields: readonly Field[],
  scalars: ReadonlyMap<string, string>,
): void {
  for (const field of fields) {
    const stored = keysOf(field).find((key) => table[key] !== undefined) ?? field.key;
    const key = prefix + stored;
    const value = table[stored];
    if (value === undefined) {
      if (field.absent === undefined) throw invalid(`${key} is missing`);
      read[field.name] = field.absent;
      continue;
    }
    const held = inMemory(field, { value, source: scalars.get(key) });
    read[field.name] = checkedValue(field, held, key);
  }
}

/** From the value on disk to the one in memory; what has no place there becomes `undefined`. */
function inMemory(field: Field, { value, source }: Written): unknown {
  if (field.type === "integer") return isWhole(source) ? value : undefined;
  if (field.type === "phase") {
    return typeof value === "number" && isWhole(source) ? PHASES[value] : undefined;
  }
  if (field.type === "time") return value instanceof TomlDate ? source : undefined;
  return value;
}

/** The Go reader refuses `2.0` for an integer; to the parser it is 2. */
function isWhole(source: string | undefined): boolean {
  return source === undefined || integerSource.test(source);
}

function readFindings(value: unknown, key: string): readonly CheckpointFinding[] {
  if (value === undefined) throw invalid(`${key} is missing`);
  return tablesOf(value, key, "findings").map((item) => {
    const read = { id: "", severity: "", description: "", cycle: 0, status: "found" };
    readFields(read, item, "", FINDING_FIELDS, noScalars);
    read.id ||= findingId(read.severity, read.description);
    return read as CheckpointFinding;
  });
}

function readTables(root: Table, key: string, fields: readonly Field[]): readonly Table[] {
  return tablesOf(root[key] ?? [], key, "entries").map((item) => {
    const read: Record<string, unknown> = {};
    readFields(read, item, "", fields, noScalars);
    return read;
  });
}

function tablesOf(value: unknown, key: string, what: string): readonly Table[] {
  if (Array.isArray(value) && value.every(isTable)) return value;
  throw invalid(`${key} is not a list of ${what}`);
}

const noScalars: ReadonlyMap<string, string> = new Map();

/** Reads a table of fields, called the same on disk and in memory; nothing where there is none. */
export function readOptionalTable(
  read: Record<string, unknown>,
  root: Table,
  key: string,
  fields: readonly Field[],
  scalars: ReadonlyMap<string, string>,
): void {
  const table = optionalTable(root, key);
  if (table === undefined) return;
  const values: Record<string, unknown> = {};
  readFields(values, table, `${key}.`, fields, scalars);
  read[key] = values;
}

function optionalTable(root: Table, key: string): Table | undefined {
  const value = root[key];
  if (value === undefined || isTable(value)) return value;
  throw invalid(`${key} is not a table`);
}

/** A copy with ordinary prototypes. A hostile file's depth ends the walk, not the stack. */
function plainValue(value: unknown, depth: number): TomlValue {
  if (depth < 0) throw invalid(`what is kept as it is goes deeper than ${MAX_DEPTH}`);
  if (Array.isArray(value)) return value.map((item) => plainValue(item, depth - 1));
  if (isTable(value)) {
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [key, plainValue(item, depth - 1)]),
    );
  }
  return value as TomlValue;
}
