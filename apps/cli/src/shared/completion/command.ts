import { basename } from "node:path";
import { cleanLine, jsonLine } from "@quasar/runs/text";
import { result } from "../output/json.ts";
import { CliError } from "../errors.ts";
import { EXIT, type ExitCode } from "../exit-codes.ts";
import type { CompletionLine } from "../schemas/completion.ts";
import { SHELLS } from "./shells.ts";

/** `completion`: the script for a shell, that of the user if none is named. */
export function completionCommand(
  program: string,
  named: string | undefined,
  { json }: { readonly json?: true | undefined },
): ExitCode {
  const shell = named ?? basename(process.env["SHELL"] ?? "");
  const scriptOf = Object.hasOwn(SHELLS, shell) ? SHELLS[shell] : undefined;
  if (scriptOf === undefined) {
    const which =
      shell === "" ? "no shell is named" : `there is no completion for ${cleanLine(shell)}`;
    throw new CliError("ERR_USAGE", `${which}: use bash, zsh or fish`);
  }
  const script = scriptOf(program, installedAs(program));
  const line = result("completion", { shell, script }, EXIT.ok) satisfies CompletionLine;
  process.stdout.write(json === true ? jsonLine(line) : script);
  return EXIT.ok;
}

/** The name by which the shell finds the program; its own where it was started by its file. */
function installedAs(program: string): string {
  const name = basename(process.argv[1] ?? "");
  return /^[a-z][a-z0-9-]*$/u.test(name) ? name : program;
}
