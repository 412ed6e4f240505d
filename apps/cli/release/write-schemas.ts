import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { jsonSchemas } from "./json-schemas.ts";

// Writes what `quasar schema` and `atlas schema` print, beside the commands.
//
// Usage: node release/write-schemas.ts

const folder = fileURLToPath(new URL("../dist/schemas", import.meta.url));

for (const [name, schema] of jsonSchemas()) {
  const path = join(folder, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `${JSON.stringify(schema, null, 2)}\n`);
}
