import { FILE_SCHEMAS, REQUIRED_KEYS } from "@quasar/nebula/internal";
import { toJsonSchema } from "@valibot/to-json-schema";
import * as v from "valibot";
import { LINES as OF_ATLAS } from "../src/atlas/schemas/index.ts";
import * as atlasParts from "../src/atlas/schemas/parts.ts";
import { LINES as OF_QUASAR } from "../src/quasar/schemas/index.ts";
import * as quasarParts from "../src/quasar/schemas/parts.ts";
import type { LineSchema, LinesOf } from "../src/shared/schemas/line.ts";
import * as parts from "../src/shared/schemas/parts.ts";

type JsonSchema = Readonly<Record<string, unknown>>;

interface Program {
  readonly lines: LinesOf;
  /** Parts of lines that are definitions, by their names. */
  readonly parts: Readonly<Record<string, v.GenericSchema>>;
}

const PROGRAMS: Readonly<Record<string, Program>> = {
  atlas: { lines: OF_ATLAS, parts: { ...parts, ...atlasParts } },
  quasar: { lines: OF_QUASAR, parts: { ...parts, ...quasarParts } },
};

/**
 * The JSON Schemas of what commands print with `--json`, by the paths of their files, `atlas/hook-status.json`, and
 * that of a nebula's files.
 */
export function jsonSchemas(): ReadonlyMap<string, JsonSchema> {
  const ofLines = Object.entries(PROGRAMS).flatMap(([program, { lines, parts }]) =>
    Object.entries(lines).map(([command, those]): readonly [string, JsonSchema] => {
      const name = command.replaceAll(" ", "-");
      const head = { $id: `urn:${program}:json:1:${name}`, title: titleOf(program, command) };
      return [`${program}/${name}.json`, jsonSchema(head, those, parts)];
    }),
  );
  return new Map([...ofLines, ["nebula.json", nebulaSchema()]]);
}

/** What describes nebula.toml, and under `$defs` the front matter of a phase's file too. */
function nebulaSchema(): JsonSchema {
  const definitions = Object.entries(FILE_SCHEMAS).map(([name, schema]) => {
    // What JSON Schema has no word for is checked by the command only.
    const options = { target: "draft-2020-12", errorMode: "ignore" } as const;
    const { $schema: _, ...body } = toJsonSchema(schema, options) as JsonSchema;
    const required = REQUIRED_KEYS[name as keyof typeof REQUIRED_KEYS];
    return [name, required.reduce(withRequired, body)] as const;
  });
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    $id: "urn:quasar:nebula:1",
    title: "nebula.toml",
    description: "The manifest of a nebula; $defs/phase is the front matter of a phase's file",
    $ref: "#/$defs/manifest",
    $defs: Object.fromEntries(definitions),
  };
}

/** The schema with a key that has to be there: `nebula.name`. */
function withRequired(schema: JsonSchema, key: string): JsonSchema {
  const [first = "", ...rest] = key.split(".");
  const { required = [], properties } = schema as {
    readonly required?: readonly string[];
    readonly properties: Readonly<Record<string, JsonSchema>>;
  };
  const inner = properties[first] ?? {};
  const own = rest.length === 0 ? inner : withRequired(inner, rest.join("."));
  const all = [...new Set([...required, first])];
  return { ...schema, properties: { ...properties, [first]: own }, required: all };
}

function titleOf(program: string, command: string): string {
  return command === "error" ? `${program} --json: an error` : `${program} ${command} --json`;
}

const ABOUT =
  "A line of standard output. Later versions may add keys, values of a word, and types of lines: pass over what you do not know.";

function jsonSchema(
  head: JsonSchema,
  lines: readonly LineSchema[],
  parts: Program["parts"],
): JsonSchema {
  const named = lines.map((line) => [`${line.entries.type.literal}_line`, line] as const);
  const definitions = { ...parts, ...Object.fromEntries(named) };
  const converted = toJsonSchema(v.union(lines), { target: "draft-2020-12", definitions });
  const { $schema, $defs = {}, ...body } = converted as JsonSchema & { $defs?: JsonSchema };
  return { $schema, ...head, description: ABOUT, ...body, $defs: usedOf($defs, body) };
}

/** The definitions to which something refers, in the order of their names. */
function usedOf(all: JsonSchema, from: JsonSchema): JsonSchema {
  const used = new Set<string>();
  const visit = (schema: unknown): void => {
    for (const [, name = ""] of JSON.stringify(schema).matchAll(/"#\/\$defs\/([^"]+)"/gu)) {
      if (used.has(name)) continue;
      used.add(name);
      visit(all[name]);
    }
  };
  visit(from);
  return Object.fromEntries([...used].toSorted().map((name) => [name, all[name]]));
}
