import { basename, dirname, join } from "node:path";
import { hasErrno } from "./errors.ts";
import type { FileSystem, Random } from "./file-system.ts";

const TEMPORARY = /^\.(.+)\.[0-9a-f]{16}\.tmp$/s;

/** A name beside `file` that nobody can have put something at: `.<name>.<16 hex digits>.tmp`. */
export function temporaryName(file: string, random: Random): string {
  const unique = Buffer.from(random(8)).toString("hex");
  return join(dirname(file), `.${basename(file)}.${unique}.tmp`);
}

/** The file that a name within a folder is temporary for; `undefined` for any other name. */
export function temporaryFor(name: string): string | undefined {
  return TEMPORARY.exec(name)?.[1];
}

/**
 * The second name of generation `number` of a file: `<file>.<number>.prev`.
 *
 * @see SPEC.md, "Names"
 */
export function generationName(file: string, number: number): string {
  return `${file}.${number}.prev`;
}

/** The numbers of the generations that are there, oldest first. */
export function listGenerations(fs: FileSystem, file: string): readonly number[] {
  const prefix = `${basename(file)}.`;
  const numbers: number[] = [];
  for (const name of readdirIfThere(fs, dirname(file))) {
    if (!name.startsWith(prefix) || !name.endsWith(".prev")) continue;
    const digits = name.slice(prefix.length, -".prev".length);
    const number = /^[1-9][0-9]*$/.test(digits) ? Number(digits) : Number.NaN;
    if (Number.isSafeInteger(number)) numbers.push(number);
  }
  return numbers.sort((a, b) => a - b);
}

function readdirIfThere(fs: FileSystem, dir: string): readonly string[] {
  try {
    return fs.readdir(dir);
  } catch (error) {
    if (hasErrno(error, "ENOENT")) return [];
    throw error;
  }
}
