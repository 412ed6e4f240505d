import { lstatSync } from "node:fs";
import { dirname, join } from "node:path";
import { codeOf, FOLDER, isRealFolder } from "@quasar/runs/internal";
import { cleanLine, shellWord } from "@quasar/runs/text";
import { parse, TomlError } from "smol-toml";
import { CliError } from "../errors.ts";
import { readInput } from "../read-input.ts";
import { placeInToml, TOML_OPTIONS } from "./place-in-toml.ts";
import type { PlaceOf } from "./table.ts";

const MAX_BYTES = 64 * 1024;

/**
 * The settings of one file; `undefined` where there is none.
 *
 * @param read - Reads a parsed document: `tomlLayer`.
 * @throws {CliError} `ERR_CONFIG`; names file, line and column, and for a value the key.
 */
export function readConfigFile<L>(
  path: string,
  read: (source: string, document: Readonly<Record<string, unknown>>, placeOf: PlaceOf) => L,
): L | undefined {
  const text = readInput(path, { maxBytes: MAX_BYTES, code: "ERR_CONFIG" });
  if (text === undefined) return undefined;
  const source = cleanLine(path);
  try {
    return read(source, parseToml(path, text), (key) => at(source, placeInToml(text, key)));
  } catch (error) {
    if (!(error instanceof CliError) || error.code !== "ERR_CONFIG") throw error;
    const next = [`\${EDITOR:-vi} ${shellWord(path)}`];
    throw new CliError(error.code, error.message, { cause: error, next });
  }
}

/** As compilers write it, so that editors and terminals open it there. */
function at(source: string, place: { readonly line: number; readonly column: number } | undefined) {
  return place === undefined ? source : `${source}:${place.line}:${place.column}`;
}

function parseToml(path: string, text: string): Readonly<Record<string, unknown>> {
  try {
    return parse(text, TOML_OPTIONS);
  } catch (error) {
    const [first = ""] = error instanceof Error ? error.message.split("\n") : [];
    const reason = first.replace(/^Invalid TOML document: /u, "");
    const where = at(cleanLine(path), error instanceof TomlError ? error : undefined);
    const message = `${where} is not valid TOML: ${cleanLine(reason)}`;
    throw new CliError("ERR_CONFIG", message, { cause: error });
  }
}

/**
 * Path of the nearest `config.toml` in a folder of settings, from a folder up to the repository's root,
 * both included; `undefined` where no folder on the way has one.
 *
 * @param name - Of the folder of settings.
 * @throws {RunsError} `ERR_UNSAFE_PATH` when one of that name on the way is not a real folder.
 */
export function findRepositoryConfig(
  from: string,
  root: string,
  name: string = FOLDER,
): string | undefined {
  for (let folder = from; ; folder = dirname(folder)) {
    const path = join(folder, name, "config.toml");
    if (isRealFolder(join(folder, name)) && exists(path)) return path;
    if (folder === root || folder === dirname(folder)) return undefined;
  }
}

function exists(path: string): boolean {
  return statOf(path) !== undefined;
}

function statOf(path: string): ReturnType<typeof lstatSync> | undefined {
  try {
    return lstatSync(path);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}
