import type { Command } from "commander";
import { examplesText, runProgram } from "../shared/command-line.ts";
import type { ExitCode } from "../shared/exit-codes.ts";
import { programOf } from "../shared/program.ts";
import type { CommandSpec } from "./command.ts";
import { COMMANDS, EXIT_CODES, FAMILIES, FIRST_EXAMPLES, GROUPS } from "./commands.ts";
import { SETTINGS } from "./config/settings.ts";

/**
 * Runs the command that the arguments name and sets the process's exit code.
 *
 * @param args - Arguments without the program's own path.
 * @param version - Of the command.
 */
export function main(args: readonly string[], version: string): Promise<void> {
  return runProgram(
    (done) => createProgram(version, done),
    args,
    () => import("./translate.ts"),
  );
}

/** Of `atlas`, with all its commands. */
export function createProgram(
  version: string,
  done: (code: ExitCode) => void,
  commands: readonly CommandSpec[] = COMMANDS,
): Command {
  const spec = {
    name: "atlas",
    description:
      "Takes a task through its steps with a coding agent: from a description to a pull\n" +
      "request, and resumes exactly where it stopped after any crash.",
    version,
    group: GROUPS.begin,
    families: FAMILIES,
    after: examplesText(FIRST_EXAMPLES) + EXIT_CODES,
    settings: SETTINGS,
    sources: ".atlas/config.toml and ATLAS_*",
    commands,
  };
  return programOf(spec, done);
}
