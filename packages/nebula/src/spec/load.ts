import { readdirSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { readWholeFile } from "@quasar/durable";
import { NebulaError } from "../errors.ts";
import { meantBeside } from "./beside.ts";
import { byName } from "./by-name.ts";
import { MANIFEST_FILE } from "./manifest.ts";
import { type NebulaFiles, type ParsedNebula, parseNebula, type ParseOptions } from "./parse.ts";
import type { SpecProblem } from "./types.ts";

const MAX_FILE_BYTES = 1024 * 1024;
const MAX_TOTAL_BYTES = 64 * 1024 * 1024;
const MAX_PHASES = 10_000;

export interface LoadedNebula extends ParsedNebula {
  /** The folder, without links. */
  readonly dir: string;
  /** The texts that were read. */
  readonly files: NebulaFiles;
}

/**
 * Reads a nebula's folder: nebula.toml, and each Markdown file in it. Folders in it, `README.md` and names that begin with `_`
 * or `.` are passed over.
 *
 * @throws {NebulaError} `ERR_NO_NEBULA`
 */
export function loadNebula(dir: string, options: ParseOptions = {}): LoadedNebula {
  const { real, names } = listFolder(dir);
  if (!names.includes(MANIFEST_FILE)) {
    throw new NebulaError("ERR_NO_NEBULA", `${dir} has no ${MANIFEST_FILE}: it is no nebula`);
  }
  const files = readFiles(real, names);
  return { dir: real, files, ...parseNebula(files, options) };
}

function listFolder(dir: string): { readonly real: string; readonly names: readonly string[] } {
  try {
    const real = realpathSync(dir);
    const entries = readdirSync(real, { withFileTypes: true });
    return { real, names: entries.flatMap((entry) => (entry.isDirectory() ? [] : [entry.name])) };
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code !== "ENOENT" && code !== "ENOTDIR") throw error;
    throw new NebulaError("ERR_NO_NEBULA", `${dir} is no folder${meantBeside(dir)}`, {
      cause: error,
    });
  }
}

function readFiles(dir: string, names: readonly string[]): NebulaFiles {
  const problems: SpecProblem[] = [];
  const manifest = readText(dir, MANIFEST_FILE, problems);
  const files = names
    .filter((name) => /^(?![._]|README\.md$).*\.md$/is.test(name) && name.endsWith(".md"))
    .toSorted(byName);
  if (files.length > MAX_PHASES) {
    problems.push(tooMany(`${files.length} phases, ${MAX_PHASES} are`));
    return { manifest, phases: [], problems };
  }
  const phases: { file: string; text: string }[] = [];
  let bytes = 0;
  for (const file of files) {
    const text = readText(dir, file, problems);
    if (text === undefined) continue;
    bytes += text.length;
    if (bytes > MAX_TOTAL_BYTES) {
      problems.push(tooMany(`more than ${MAX_TOTAL_BYTES / 1024 / 1024} MiB of text, which is`));
      break;
    }
    phases.push({ file, text });
  }
  return { manifest, phases, problems };
}

function tooMany(what: string): SpecProblem {
  const message = `the nebula has ${what} the most`;
  return { category: "too_many", severity: "error", file: MANIFEST_FILE, message };
}

/** The text of a file; `undefined`, with a problem more, where it cannot be read. */
function readText(dir: string, file: string, problems: SpecProblem[]): string | undefined {
  try {
    const bytes = readWholeFile(join(dir, file), { maxBytes: MAX_FILE_BYTES });
    if (bytes === undefined) return bad("is not there any more");
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) return bad("is not UTF-8 text");
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    return bad(REASONS[code] ?? `cannot be read (${code})`);
  }

  function bad(is: string): undefined {
    const message = `${file} ${is}`;
    problems.push({ category: "unreadable", severity: "error", file, message });
  }
}

const REASONS: Readonly<Record<string, string>> = {
  ERR_NOT_REGULAR: "is not a regular file",
  ERR_TOO_LARGE: "is larger than 1 MiB",
};
