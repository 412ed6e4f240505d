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

/** The JSON Schemas of what commands print with `--json`, by the paths of their files: `atlas/hook-status.json`. */
export function jsonSchemas(): ReadonlyMap<string, JsonSchema> {
  return new Map(
    Object.entries(PROGRAMS).flatMap(([program, { lines, parts }]) =>
      Object.entries(lines).map(([command, those]) => {
        const name = command.replaceAll(" ", "-");
        const head = { $id: `urn:${program}:json:1:${name}`, title: titleOf(program, command) };
        return [`${program}/${name}.json`, jsonSchema(head, those, parts)];
      }),
    ),
  );
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
