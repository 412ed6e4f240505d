import { lstatSync } from "node:fs";
import { dirname, join } from "node:path";
import { codeOf, FOLDER, isRealFolder } from "@quasar/runs";
import { cleanLine } from "@quasar/runs/text";
import { parse } from "smol-toml";
import { CliError } from "../errors.ts";
import { readInput } from "../read-input.ts";

const MAX_BYTES = 64 * 1024;

/**
 * The settings of one file; `undefined` where there is none.
 *
 * @param read - Reads a parsed document: `tomlLayer`.
 * @throws {CliError} `ERR_CONFIG`; names the file and, for a value, the key.
 */
export function readConfigFile<L>(
  path: string,
  read: (source: string, document: Readonly<Record<string, unknown>>) => L,
): L | undefined {
  const text = readInput(path, { maxBytes: MAX_BYTES, code: "ERR_CONFIG" });
  if (text === undefined) return undefined;
  return read(cleanLine(path), parseToml(path, text));
}

function parseToml(path: string, text: string): Readonly<Record<string, unknown>> {
  try {
    return parse(text, { maxDepth: 8 });
  } catch (error) {
    const [reason = ""] = error instanceof Error ? error.message.split("\n") : [];
    const message = `${cleanLine(path)} is not valid TOML: ${cleanLine(reason)}`;
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
