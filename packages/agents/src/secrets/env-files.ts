import { closeSync, constants, fstatSync, openSync, readdirSync, readSync } from "node:fs";
import { join } from "node:path";
import { parseEnv } from "node:util";
import type { Redactor } from "./redact.ts";
import { isSecretName, MASK, secretsIn, valueReplacer } from "./values.ts";

const MAX_FOLDERS = 1000;
const MAX_DEPTH = 4;
const MAX_BYTES = 256 * 1024;
const PASSED_OVER: ReadonlySet<string> = new Set(["node_modules", "vendor", "dist", "target"]);

/** Words, paths and names, an address, a URL without more than its host: texts speak of these. */
const ORDINARY: readonly RegExp[] = [
  /^[./~@]{0,3}[A-Za-z]{1,14}(?:[./_:@, -]{1,3}[A-Za-z]{1,14}){0,9}\/?$/,
  /^[a-z]{2,10}:\/\/[A-Za-z.-]{1,60}(?::\d{1,5})?\/?$/,
  /^(?:localhost|\d{1,3}(?:\.\d{1,3}){3})(?::\d{1,5})?$/,
];

/**
 * Removes the values of a work tree's `.env*` files from what leaves the machine: they are read anew for
 * each text.
 *
 * @param others - Paths in the work tree of files that are read in the same way, whatever they are called.
 * @see SPEC.md, "Secrets"
 */
export function createEnvFileRedactor(workTree: string, others: readonly string[] = []): Redactor {
  return (text) => {
    if (text === "") return text;
    const values = envFileSecrets(workTree, others);
    return values.length === 0 ? text : valueReplacer(values, MASK)(text);
  };
}

/** The values that {@link createEnvFileRedactor} removes, each once. */
export function envFileSecrets(
  workTree: string,
  others: readonly string[] = [],
): readonly string[] {
  const named = others.map((path) => join(workTree, path));
  return [...new Set([...envFilesIn(workTree), ...named].flatMap(valuesOf))];
}

function valuesOf(path: string): readonly string[] {
  const variables = Object.entries(parseEnv(readSmall(path)));
  return variables.flatMap(([name, value = ""]) => {
    const isOrdinary = !isSecretName(name) && ORDINARY.some((pattern) => pattern.test(value));
    return isOrdinary ? [] : secretsIn(value);
  });
}

/** The files of the work tree's upper folders; what cannot be read is passed over. */
function envFilesIn(workTree: string): readonly string[] {
  const files: string[] = [];
  let level = [workTree];
  let folders = 0;
  for (let depth = 0; depth < MAX_DEPTH && level.length > 0; depth += 1) {
    const below: string[] = [];
    for (const dir of level) {
      folders += 1;
      if (folders > MAX_FOLDERS) return files;
      for (const entry of entriesOf(dir)) {
        const { name } = entry;
        if (entry.isDirectory()) {
          if (!name.startsWith(".") && !PASSED_OVER.has(name)) below.push(join(dir, name));
        } else if (name.startsWith(".env")) {
          files.push(join(dir, name));
        }
      }
    }
    level = below;
  }
  return files;
}

function entriesOf(dir: string) {
  try {
    return readdirSync(dir, { withFileTypes: true });
  } catch {
    return [];
  }
}

/** A regular file's text, its beginning; links are followed, as who made the tree may link to one elsewhere. */
function readSmall(path: string): string {
  let fd: number;
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch {
    return "";
  }
  try {
    if (!fstatSync(fd).isFile()) return "";
    const bytes = Buffer.alloc(MAX_BYTES);
    return bytes.toString("utf8", 0, readSync(fd, bytes, 0, bytes.length, 0));
  } catch {
    return "";
  } finally {
    closeSync(fd);
  }
}
