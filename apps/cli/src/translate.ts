import { CliError } from "./errors.ts";

/** Says a library's error in the command's words, with what to do about it. */
export function translate(error: unknown): CliError {
  const message = error instanceof Error ? error.message : String(error);
  return new CliError("ERR_UNEXPECTED", message === "" ? "unknown failure" : message, {
    cause: error,
    next: ["the same command with QUASAR_DEBUG=1 shows where it happened"],
  });
}
