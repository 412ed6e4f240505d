import * as v from "valibot";
import { text, texts } from "./kinds.ts";
import { type Printed, result } from "./line.ts";

export const schemasLine = result("schemas", "Which schemas there are", {
  names: texts("By the commands whose lines they describe; error: a line of any command"),
});

export const schemaLine = result("schema", "A schema", {
  name: text("The command whose lines it describes"),
  schema: v.pipe(v.record(v.string(), v.unknown()), v.description("JSON Schema, draft 2020-12")),
});

export type SchemasLine = Printed<typeof schemasLine>;
export type SchemaLine = Printed<typeof schemaLine>;
