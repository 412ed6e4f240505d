import { CommanderError } from "commander";
import { EXIT, type ExitCode } from "./exit-codes.ts";
import { clean } from "./output/clean.ts";
import type { ErrorRecord } from "./output/record.ts";
import { createReporter, type Streams } from "./output/reporter.ts";
import { translate } from "./translate.ts";

export interface FailOptions {
  readonly json: boolean;
  /** The command that failed, `quasar run`: its help is what to read next. */
  readonly command: string;
}

/** Tells of an error, once, in the way the user asked for, and says which exit code it has. */
export function fail(error: unknown, streams: Streams, { json, command }: FailOptions): ExitCode {
  const record = recordOf(error, command);
  createReporter(streams, { json }).report(record);
  if (process.env["QUASAR_DEBUG"] === "1" && error instanceof Error) {
    streams.stderr.write(`${clean(error.stack ?? error.message)}\n`);
  }
  return record.exit as ExitCode;
}

function recordOf(error: unknown, command: string): ErrorRecord {
  if (error instanceof CommanderError) {
    const message = error.message.replace(/^error: /u, "");
    const isUnquoted = error.code === "commander.excessArguments" && command === "quasar run";
    const next = [...(isUnquoted ? ['quasar run "the task, in quotes"'] : []), `${command} --help`];
    return { type: "error", code: "ERR_USAGE", exit: EXIT.usage, message, next };
  }
  const { code, exitCode: exit, message, next } = translate(error);
  return { type: "error", code, exit, message, next };
}
