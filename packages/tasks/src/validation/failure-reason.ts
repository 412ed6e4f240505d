import { receiptPaths } from "@quasar/receipts";
import { receiptsFolder } from "./folder.ts";
import { endOf } from "./fixing.ts";
import { tailOf } from "./output.ts";
import type { CommandResult } from "./round-result.ts";

const MOST_LINES = 10;
const MOST_CHARACTERS = 1500;

/** The shell's exit codes for a command that it could not run, or did not find. */
const [NOT_RUNNABLE, NOT_FOUND] = [126, 127];

/** Whether a command could judge nothing, because a program of it is not here: no change of the code fixes that. */
export function isNotRun({ receipt: { exitCode } }: CommandResult): boolean {
  return exitCode === NOT_RUNNABLE || exitCode === NOT_FOUND;
}

const NOT_FOUND_ADVICE =
  "The command is not in the work tree, which has only what git tracks. Install there what it needs, or validate by a command that does it first, such as npm ci && npm test.";

/** Which command of a validation failed, and how: one line. */
export function failureHead(failed: CommandResult): string {
  return `${failed.command.name} failed: ${endOf(failed)}`;
}

/** The same, with the last lines that it printed, and what to do where it was not found. */
export function failureReason(
  failed: CommandResult,
  { taskDir, redact }: { readonly taskDir: string; readonly redact: (text: string) => string },
): string {
  const { receiptId, exitCode } = failed.receipt;
  const { stdout, stderr } = receiptPaths(receiptsFolder(taskDir), receiptId);
  const lines = tailOf([stdout, stderr], MOST_CHARACTERS, redact)
    .split("\n")
    .filter((line) => line.trim() !== "")
    .slice(-MOST_LINES);
  const advice = exitCode === NOT_FOUND ? [NOT_FOUND_ADVICE] : [];
  return [failureHead(failed), ...lines, ...advice].join("\n");
}
