import { suggestion } from "@quasar/runs/internal";
import * as v from "valibot";
import { isTable, type Table } from "./toml.ts";
import type { ProblemCategory, SpecProblem } from "./types.ts";

type Found = Pick<SpecProblem, "category" | "severity" | "field" | "message">;

/**
 * Reads a table by its schema. What is wrong in it is left out and has its default, so that the rest can be checked too.
 *
 * @param schema - All of its keys may be left out.
 */
export function readTable<S extends v.GenericSchema>(
  schema: S,
  table: Table,
): { readonly value: v.InferOutput<S>; readonly found: readonly Found[] } {
  const unknown = unknownKeys(schema, table).map(({ key, meant }): Found => {
    const message = `${shown(key)} is not a key that there is${meant}`;
    return { category: "unknown_key", severity: "warning", field: shown(key), message };
  });
  const first = v.safeParse(schema, table);
  if (first.success) return { value: first.output, found: unknown };
  const paths = first.issues.map((issue) => (issue.path ?? []).map(({ key }) => key));
  const rest = paths.reduce<unknown>((left, path) => without(left, keysOnly(path)), table);
  const wrong = first.issues.map((issue, at) => problemOf(issue, paths[at] ?? []));
  return { value: v.parse(schema, rest), found: [...wrong, ...unknown] };
}

function problemOf(issue: v.BaseIssue<unknown>, path: readonly unknown[]): Found {
  const field = path
    .map((key) => (typeof key === "number" ? `[${key}]` : `.${String(key)}`))
    .join("")
    .slice(1);
  const category = categoryOf(issue, path);
  return { category, severity: "error", field, message: `${field} is not ${issue.message}` };
}

/** What is wrong where a value is of the right type and is not one of those that may be. */
const CATEGORIES: Readonly<Record<string, ProblemCategory>> = {
  check: "invalid_path",
  integer: "bounds_violation",
  max_value: "bounds_violation",
  min_value: "bounds_violation",
  raw_check: "bounds_violation",
  max_bytes: "invalid_id",
};

function categoryOf(
  { type, received }: v.BaseIssue<unknown>,
  path: readonly unknown[],
): ProblemCategory {
  if (path.includes("routing")) return "invalid_routing";
  if (path.at(-1) === "gate") return "invalid_gate";
  return received === "NaN" ? "bounds_violation" : (CATEGORIES[type] ?? "invalid_value");
}

/** Up to the first list: one wrong entry spoils it. */
function keysOnly(path: readonly unknown[]): readonly string[] {
  const end = path.findIndex((key) => typeof key === "number");
  return path.slice(0, end < 0 ? undefined : end) as readonly string[];
}

function without(value: unknown, [first, ...rest]: readonly string[]): unknown {
  if (!isTable(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, each]) => {
      if (key !== first) return [[key, each]];
      return rest.length === 0 ? [] : [[key, without(each, rest)]];
    }),
  );
}

interface UnknownKey {
  readonly key: string;
  /** Which may be meant, in words; `""`: none is alike. */
  readonly meant: string;
}

/** The keys of a table, at any depth, that its schema does not have. */
function unknownKeys(schema: v.GenericSchema, value: unknown, under = ""): readonly UnknownKey[] {
  const entries = entriesOf(schema);
  if (Array.isArray(value)) {
    const { item } = bare(schema) as { readonly item?: v.GenericSchema };
    return item === undefined
      ? []
      : value.flatMap((each, at) => unknownKeys(item, each, `${under.slice(0, -1)}[${at}].`));
  }
  if (entries === undefined || !isTable(value)) return [];
  return Object.entries(value).flatMap(([key, each]) => {
    const inner = Object.hasOwn(entries, key) ? entries[key] : undefined;
    if (inner === undefined) {
      return [{ key: under + key, meant: suggestion(key, Object.keys(entries)) }];
    }
    return unknownKeys(inner, each, `${under}${key}.`);
  });
}

/** The keys of a table's schema, by their schemas; `undefined` for other schemas. */
export function entriesOf(
  schema: v.GenericSchema,
): Readonly<Record<string, v.GenericSchema>> | undefined {
  return (bare(schema) as { readonly entries?: Readonly<Record<string, v.GenericSchema>> }).entries;
}

/** What a schema wraps that may be left out. */
function bare(schema: v.GenericSchema): v.GenericSchema {
  return "wrapped" in schema ? bare(schema.wrapped as v.GenericSchema) : schema;
}

const MOST_SHOWN = 80;

/** A key that a file has made up. */
function shown(key: string): string {
  return key.length > MOST_SHOWN ? `${key.slice(0, MOST_SHOWN)}…` : key;
}
