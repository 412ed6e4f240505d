import { CliError } from "../../shared/errors.ts";
import { isLive } from "../../shared/output/reporter.ts";

/** Whether a person can have a screen here: on a terminal that can draw one, and not in CI. */
export function canHaveScreen(): boolean {
  return isLive(process.stdout) && process.stdin.isTTY;
}

/** What was typed of how a command shows its work. */
export interface ShowOptions {
  readonly watch?: true | undefined;
  readonly json?: true | undefined;
}

/** Whether work is to have a screen: it was asked for, and there can be one. @throws {CliError} `ERR_USAGE` for two outputs at once */
export function isScreenWanted({ watch, json }: ShowOptions): boolean {
  if (watch === true && json === true) {
    throw new CliError(
      "ERR_USAGE",
      "--watch or --json, not both: one has a screen, the other prints lines",
    );
  }
  return watch === true && canHaveScreen();
}
