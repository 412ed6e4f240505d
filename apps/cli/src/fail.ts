import { CommanderError } from "commander";
import { CliError } from "./errors.ts";
import { EXIT, type ExitCode } from "./exit-codes.ts";
import type { ErrorRecord } from "./output/record.ts";
import { createReporter, type Streams } from "./output/reporter.ts";
import { translate } from "./translate.ts";

/** Tells of an error, once, in the way the user asked for, and says which exit code it has. */
export function fail(error: unknown, streams: Streams, json: boolean): ExitCode {
  const record = recordOf(error);
  createReporter(streams, { json }).report(record);
  if (process.env["QUASAR_DEBUG"] === "1" && error instanceof Error) {
    streams.stderr.write(`${error.stack ?? error.message}\n`);
  }
  return record.exit as ExitCode;
}

function recordOf(error: unknown): ErrorRecord {
  if (error instanceof CommanderError) {
    const message = error.message.replace(/^error: /u, "");
    const next = ["quasar --help"];
    return { type: "error", code: "ERR_USAGE", exit: EXIT.usage, message, next };
  }
  const known = error instanceof CliError ? error : translate(error);
  const { code, exitCode: exit, message, next } = known;
  return { type: "error", code, exit, message, next };
}
