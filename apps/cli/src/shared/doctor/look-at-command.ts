import { readFileSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { codeOf } from "@quasar/runs/internal";
import { NAMES } from "../../../release/names.ts";
import { findProgram } from "../find-program.ts";
import type { CommandFacts } from "./command.ts";

export interface CommandOptions {
  /** The command's own name: `quasar`. */
  readonly name: string;
  /** Another name that an installation of ours may have. */
  readonly otherName: string | undefined;
  /** The file that was started: of this program, or of the package that forwards to it. */
  readonly main: string;
  readonly searchPath: string;
}

/** What the names of a command start, by the files on the PATH. Nothing is started. */
export function lookAtCommand(options: CommandOptions): CommandFacts {
  const { name, otherName, searchPath } = options;
  const main = startedBy(options.main);
  const path = findProgram(name, searchPath);
  const other = otherName === undefined ? undefined : findProgram(otherName, searchPath);
  const isThis = (file: string): boolean => startedBy(file) === main;
  const packageName = path === undefined ? undefined : packageOf(realpathSync(path));
  const isOurs = packageName === NAMES.command || packageName === NAMES.forward;
  return {
    name,
    path,
    owner: path !== undefined && isThis(path) ? "this" : isOurs ? "another installation" : "other",
    packageName,
    alias: other !== undefined && isThis(other) ? otherName : undefined,
    main,
  };
}

/** The file that a command runs in the end: the forwarding package finds it beside itself. */
function startedBy(path: string): string {
  const file = realpathSync(path);
  if (packageOf(file) !== NAMES.forward) return file;
  const forwarded = join(dirname(file), "..", NAMES.command, "dist", "main.js");
  return unlessGone(() => realpathSync(forwarded)) ?? file;
}

/** Name of the nearest package that a file is in; `undefined` where none says it. */
function packageOf(file: string): string | undefined {
  for (let folder = dirname(file); ; folder = dirname(folder)) {
    const text = unlessGone(() => readFileSync(join(folder, "package.json"), "utf8"));
    if (text !== undefined) return nameIn(text);
    if (folder === dirname(folder)) return undefined;
  }
}

function nameIn(text: string): string | undefined {
  try {
    const { name } = JSON.parse(text) as { readonly name?: unknown };
    return typeof name === "string" ? name : undefined;
  } catch {
    return undefined;
  }
}

function unlessGone<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (["ENOENT", "ENOTDIR", "EISDIR", "EACCES"].includes(codeOf(error))) return undefined;
    throw error;
  }
}
