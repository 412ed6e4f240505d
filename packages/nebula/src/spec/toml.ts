import { parse, TomlError } from "smol-toml";

/** Nested deeper than any key of a nebula is. */
const MAX_DEPTH = 16;

export type Table = Readonly<Record<string, unknown>>;

/** A document's root; or why the text is none, with its line. */
export function parseToml(text: string): { readonly table: Table } | { readonly why: string } {
  try {
    return { table: parse(text, { maxDepth: MAX_DEPTH }) };
  } catch (error) {
    const [first = ""] = error instanceof Error ? error.message.split("\n") : [];
    const reason = first.replace(/^Invalid TOML document: /, "");
    const where = error instanceof TomlError ? ` at line ${error.line}` : "";
    return { why: `is not valid TOML${where}: ${reason}` };
  }
}

export function isTable(value: unknown): value is Table {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
