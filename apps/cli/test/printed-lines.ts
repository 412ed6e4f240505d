import { existsSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import { Ajv2020, type ErrorObject, type Options, type ValidateFunction } from "ajv/dist/2020.js";

// Lines that a command has printed with `--json`, against the schema that is shipped with it, but closed: a key that
// no schema names is a mistake here, and passed over by everybody else.

/** Those that the schemas name. */
export const FORMATS: NonNullable<Options["formats"]> = {
  date: /^\d{4}-\d\d-\d\d$/u,
  "date-time": (text: string) => !Number.isNaN(Date.parse(text)),
};

const ajv = new Ajv2020({ allErrors: true, formats: FORMATS });
const known = new Set<string>();

/**
 * Throws where a line that a command has printed is not what its schema says. What a killed command has begun and not
 * ended is no line.
 *
 * @param main - The command's file.
 * @param args - Of the command: `["status", "--json"]`. A word that is no command may be answered by an error only.
 */
export function expectPrinted(main: string, args: readonly string[], stdout: string): void {
  const program = basename(main) === "atlas.js" ? "atlas" : "quasar";
  const command = commandOf(program, args);
  if (command === undefined) return;
  for (const line of stdout.split("\n").slice(0, -1)) {
    const wrong = wrongOf(program, command, line);
    if (wrong.length === 0) continue;
    throw new Error(`${program} ${args.join(" ")} printed\n${line}\n${wrong.join("\n")}`);
  }
}

/** What is wrong with a line that a command has printed; nothing where it is as its schema says. */
export function wrongOf(program: string, command: string, line: string): readonly string[] {
  let record: unknown;
  try {
    record = JSON.parse(line);
  } catch (error) {
    return [String(error)];
  }
  const id = schemaId(program, command);
  const ofAll = compiled(id);
  if (ofAll(record)) return [];
  // What is wrong with it as a line of its type, if that is known: it is none of the others anyway.
  const { type } = record as { readonly type?: unknown };
  const ofType = ajv.getSchema(`${id}#/$defs/${String(type)}_line`);
  const failed = ofType?.(record) === false ? ofType : ofAll;
  return (failed.errors ?? []).map(words);
}

/** Where the schema of a command is: `hook-status` of `atlas`. */
export function schemaFile(program: string, name: string): URL {
  return new URL(`../dist/schemas/${program}/${name}.json`, import.meta.url);
}

/** `undefined`: it prints no lines, but a document. */
function commandOf(program: string, [first = "", second]: readonly string[]): string | undefined {
  if (program === "atlas" && first === "hook" && second === "export") return undefined;
  const names = [`${first}-${second}`, first];
  return names.find((name) => existsSync(schemaFile(program, name))) ?? "error";
}

/** Names a schema, which is read from its file once. */
function schemaId(program: string, command: string): string {
  const id = `urn:${program}:json:1:${command}`;
  if (known.has(id)) return id;
  known.add(id);
  ajv.addSchema(closed(JSON.parse(readFileSync(schemaFile(program, command), "utf8"))) as object);
  return id;
}

function compiled(id: string): ValidateFunction {
  const validate = ajv.getSchema(id);
  if (validate === undefined) throw new Error(`there is no schema ${id}`);
  return validate;
}

/** The schema under which no object has a key that it does not name. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== "object" || schema === null) return schema;
  const entries = Object.entries(schema).map(([key, value]) => [key, closed(value)]);
  const own = Object.fromEntries(entries) as Readonly<Record<string, unknown>>;
  const isOpen = own["type"] === "object" && !("additionalProperties" in own);
  return isOpen ? { ...own, additionalProperties: false } : own;
}

function words({ instancePath, message = "", params }: ErrorObject): string {
  return `${instancePath === "" ? "the line" : instancePath} ${message} ${JSON.stringify(params)}`;
}
