// oxlint-disable no-control-regex -- which control characters a string may hold is what is told here
import { CheckpointError } from "./errors.ts";
import { escaperOf } from "./toml-escape.ts";
import { MAX_DEPTH } from "./toml-source.ts";

/** What a single-quoted string cannot hold. */
const notLiteral = /['\x00-\x08\x0a-\x1f\x7f]/;
/** Controls but tab and newline: as two classes, which V8 searches twice as fast as one. */
const control = /[\x00-\x08]|[\x0b-\x1f]/;
const escapeLine = escaperOf(/["\\\x00-\x08\x0a-\x1f\x7f]/);
const escapeLines = escaperOf(/[\\\x00-\x08\x0b-\x1f\x7f]/);
const bareKey = /^[A-Za-z0-9_-]+$/;
/** A date that TOML can say; JavaScript's continue to the year 275760. */
const tomlDate = /^(\d{4}-\d\d-\d\d|\d\d:)/;

/** On one line, as the Go original writes it. */
export function writeText(text: string): string {
  return notLiteral.test(text) ? `"${escapeLine(text)}"` : `'${text}'`;
}

/** The part before a block's text, in what {@link writeBlock} returns. */
export const blockOpenings: ReadonlySet<string> = new Set(["'''\n", '"""\n']);

/**
 * On lines of its own where it has several, unescaped where TOML allows it. In parts, to be joined:
 * a long text is not copied.
 */
export function writeBlock(text: string): readonly string[] {
  if (!text.includes("\n")) return [writeText(text)];
  return isLiteralBlock(text) ? ["'''\n", text, "'''"] : ['"""\n', escapeBlock(text), '"""'];
}

/** A CR would be read back as a newline. */
function isLiteralBlock(text: string): boolean {
  const hasQuotes = text.endsWith("'") || text.includes("'''");
  return !hasQuotes && !hasControls(text);
}

/** Newlines stay, and of quotes all but those that could run into the closing three. */
function escapeBlock(text: string): string {
  const lines = escapeLines(text);
  const hasQuotes = lines.endsWith('"') || lines.includes('""');
  return hasQuotes ? lines.replace(/"(?="|$)/g, '\\"') : lines;
}

function hasControls(text: string): boolean {
  return control.test(text) || text.includes("\x7f");
}

/** With a dot, always: the Go reader takes `2` for a float, but not `2.0` for an integer. */
export function writeAmount(amount: number): string {
  const text = String(amount + 0);
  return /[.e]/.test(text) ? text : `${text}.0`;
}

export function writeTexts(texts: readonly string[]): string {
  return `[${texts.map(writeText).join(", ")}]`;
}

function writeKey(key: string): string {
  return bareKey.test(key) ? key : `"${escapeLine(key)}"`;
}

/**
 * A value that is kept as it is, on one line.
 *
 * @throws {CheckpointError} `ERR_INVALID_CHECKPOINT` when TOML has no word for it.
 */
export function writeValue(value: unknown, depth: number = MAX_DEPTH): string {
  if (depth < 0) throw unwritable("nested too deep");
  if (typeof value === "string") return writeText(value.toWellFormed());
  if (typeof value === "boolean") return String(value);
  if (typeof value === "number") return writeNumber(value);
  if (value instanceof Date) return writeDate(value);
  if (Array.isArray(value)) {
    return `[${value.map((item) => writeValue(item, depth - 1)).join(", ")}]`;
  }
  if (typeof value === "object" && value !== null) {
    return writeInline(writeEntries(value, depth - 1));
  }
  throw unwritable(`a ${value === null ? "null" : typeof value}`);
}

/** A table on one line. */
export function writeInline(entries: readonly string[]): string {
  return entries.length === 0 ? "{}" : `{ ${entries.join(", ")} }`;
}

/** Keys and values that are kept as they are, each as `key = value`. */
export function writeEntries(table: object, depth: number = MAX_DEPTH): readonly string[] {
  const entries = Object.entries(table).map(([key, value]) => [key.toWellFormed(), value] as const);
  const keys = new Set(entries.map(([key]) => key));
  if (keys.size < entries.length) throw unwritable("two keys that are one, made well-formed");
  return entries.map(([key, value]) => `${writeKey(key)} = ${writeValue(value, depth)}`);
}

/** Whole numbers lose their dot, which no reader minds; not so those that no integer can hold. */
function writeNumber(value: number): string {
  if (Number.isSafeInteger(value) && !Object.is(value, -0)) return String(value);
  if (Number.isNaN(value)) return "nan";
  if (!Number.isFinite(value)) return value > 0 ? "inf" : "-inf";
  return Object.is(value, -0) ? "-0.0" : writeAmount(value);
}

function writeDate(value: Date): string {
  const text = Number.isNaN(value.getTime()) ? "" : value.toISOString();
  if (!tomlDate.test(text)) throw unwritable("a date out of range");
  return text;
}

function unwritable(what: string): CheckpointError {
  return new CheckpointError("ERR_INVALID_CHECKPOINT", `settings or an unknown key holds ${what}`);
}
