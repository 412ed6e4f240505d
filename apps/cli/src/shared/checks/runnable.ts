import { accessSync, constants, statSync } from "node:fs";
import { resolve } from "node:path";
import { codeOf } from "@quasar/runs/internal";
import { cleanLine, shellWord } from "@quasar/runs/text";
import { CliError } from "../errors.ts";
import { findProgram } from "../find-program.ts";

/** A shell's own words: there is no program to look for. */
const BUILT_IN: ReadonlySet<string> = new Set(
  (
    ". : [ alias bg break cd command continue echo eval exec exit export false fg getopts hash if jobs kill " +
    "case for until while printf pwd read readonly return set shift test times trap true type ulimit umask " +
    "unalias unset wait ! { }"
  ).split(" "),
);

/** The word that a command begins with, behind its assignments; `undefined` where that takes a shell to say. */
export function programOf(command: string): string | undefined {
  const words = command.trim().replace(/^(?:[A-Za-z_]\w*=[\w@%+:,./-]*\s+)+/u, "");
  return /^[\w@%+:,./[\]!{}-]+(?=$|[\s;&|])/u.exec(words)?.[0];
}

export interface Surroundings {
  /** Where the command is run. */
  readonly workTree: string;
  /** PATH as the command has it. */
  readonly searchPath: string;
}

/** Why a check can never run; `undefined` where nothing is known against it. Runs nothing. */
export function problemOf(command: string, around: Surroundings): string | undefined {
  const program = programOf(command);
  if (program === undefined || BUILT_IN.has(program)) return undefined;
  if (!program.includes("/")) {
    const isThere = findProgram(program, around.searchPath) !== undefined;
    return isThere ? undefined : `there is no program ${program} on the PATH`;
  }
  const path = resolve(around.workTree, program);
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile() ? undefined : `${program} is no program`;
  } catch (error) {
    const isOurs = ["ENOENT", "EACCES", "ENOTDIR", "ELOOP"].includes(codeOf(error));
    if (!isOurs) throw error;
    return codeOf(error) === "EACCES"
      ? `${program} may not be run (chmod +x ${shellWord(program)})`
      : `there is no file ${program}`;
  }
}

/**
 * Refuses checks that cannot run, before anything is paid.
 *
 * @throws {CliError} `ERR_CHECK`; names each and says why.
 */
export function requireRunnable(commands: readonly string[], around: Surroundings): void {
  const broken = commands.flatMap((command) => {
    const problem = problemOf(command, around);
    return problem === undefined ? [] : [`${cleanLine(command)}: ${cleanLine(problem)}`];
  });
  if (broken.length === 0) return;
  const message =
    broken.length === 1
      ? `a check cannot run: ${broken[0]}`
      : `checks cannot run:\n${broken.map((line) => `  ${line}`).join("\n")}`;
  throw new CliError("ERR_CHECK", message, {
    next: ["correct the command, or install the program; nothing was started"],
  });
}
