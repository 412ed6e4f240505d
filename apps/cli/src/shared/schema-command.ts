import { readdirSync, readFileSync } from "node:fs";
import { cleanLine, jsonLine } from "@quasar/runs/text";
import { result } from "./output/json.ts";
import { CliError } from "./errors.ts";
import { EXIT, type ExitCode } from "./exit-codes.ts";
import { write } from "./output/reporter.ts";
import type { SchemaLine, SchemasLine } from "./schemas/schema.ts";

/** `quasar schema`: the JSON Schema of what a command prints with `--json`, or which there are. */
export function schemaCommand(
  program: "quasar" | "atlas",
  name: string | undefined,
  json: true | undefined,
): ExitCode {
  // The build writes them beside what it makes of this file.
  const folder = new URL(`./schemas/${program}/`, import.meta.url);
  const names = readdirSync(folder)
    .map((file) => file.replace(/\.json$/u, ""))
    .toSorted();
  const { stdout } = process;
  if (name === undefined) {
    const line = result("schemas", { names }, EXIT.ok) satisfies SchemasLine;
    if (json === true) stdout.write(jsonLine(line));
    else write(stdout, names);
    return EXIT.ok;
  }
  if (!names.includes(name)) {
    throw new CliError("ERR_USAGE", `there is no schema "${cleanLine(name)}"`, {
      next: [`${program} schema`],
    });
  }
  const text = readFileSync(new URL(`${name}.json`, folder), "utf8");
  const schema = JSON.parse(text) as SchemaLine["schema"];
  const line = result("schema", { name, schema }, EXIT.ok) satisfies SchemaLine;
  stdout.write(json === true ? jsonLine(line) : text);
  return EXIT.ok;
}
