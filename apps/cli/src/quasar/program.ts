import type { Command } from "commander";
import { runProgram } from "../shared/command-line.ts";
import { SETTINGS } from "../shared/config/settings.ts";
import type { ExitCode } from "../shared/exit-codes.ts";
import { programOf } from "../shared/program.ts";
import { COMMANDS, FAMILIES, GROUPS, OVERVIEW } from "./commands.ts";

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

/** Of `quasar`, with all its commands. */
export function createProgram(version: string, done: (code: ExitCode) => void): Command {
  const spec = {
    name: "quasar",
    description:
      "Runs a coding agent and a reviewer in turns until the task is approved,\n" +
      "and resumes exactly where it stopped after any crash.",
    version,
    group: GROUPS.begin,
    families: FAMILIES,
    after: OVERVIEW,
    settings: SETTINGS,
    sources: ".quasar/config.toml and QUASAR_*",
    commands: COMMANDS,
  };
  return programOf(spec, done);
}
