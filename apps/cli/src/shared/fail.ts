import { clean, cleanLine, shellWord } from "@quasar/runs/text";
import { CommanderError } from "commander";
import type { CliError } from "./errors.ts";
import { EXIT, type ExitCode } from "./exit-codes.ts";
import type { ErrorRecord } from "./output/record.ts";
import { createReporter, type Streams } from "./output/reporter.ts";
import { type Typed, withTyped } from "./typed.ts";

/** Says an error in a program's words. */
export type Translate = (error: unknown) => CliError;

export interface FailOptions {
  readonly json: boolean;
  /** The command that failed: its help is what to read next, and what it was given is repeated. */
  readonly typed: Typed;
  /** What was typed behind the program's name. @default nothing is typed again */
  readonly args?: readonly string[] | undefined;
  readonly translate: Translate;
}

/** Tells of an error, once, in the way the user asked for, and says which exit code it has. */
export function fail(error: unknown, streams: Streams, options: FailOptions): ExitCode {
  const record = recordOf(error, options);
  createReporter(streams, { json: options.json }).report(record);
  if (process.env["QUASAR_DEBUG"] === "1" && error instanceof Error) {
    streams.stderr.write(`${clean(error.stack ?? error.message)}\n`);
  }
  return record.exit as ExitCode;
}

/** Commands whose one argument is a text that people forget to quote. */
const TAKES_TASK: ReadonlySet<string> = new Set(["quasar run", "atlas start"]);

function recordOf(error: unknown, options: FailOptions): ErrorRecord {
  const { typed, args = [], translate: inWords } = options;
  const { command } = typed;
  if (error instanceof CommanderError) {
    const message = error.message.replace(/^error: /u, "");
    const isUnquoted = error.code === "commander.excessArguments" && TAKES_TASK.has(command);
    const quoted = isUnquoted ? [`${command} "the task, in quotes"`] : [];
    const next = [...corrected(message, command, args), ...quoted, `${command} --help`];
    return { type: "error", code: "ERR_USAGE", exit: EXIT.usage, message, next };
  }
  const { code, exitCode: exit, message, next: known } = inWords(error);
  const steps = known.length === 0 && code === "ERR_USAGE" ? [`${command} --help`] : known;
  const next = steps.map((step) => withTyped(step, typed));
  return { type: "error", code, exit, message, next };
}

/** The same line with the word that the parser takes for the one that was meant; none where it is not sure. */
function corrected(message: string, command: string, args: readonly string[]): readonly string[] {
  const [, wrong = "", meant = ""] =
    /^unknown (?:command|option) '(.+)'\n\(Did you mean (\S+)\?\)$/su.exec(message) ?? [];
  const at = args.indexOf(wrong);
  // What a screen cannot show as it is cannot be copied from it either.
  if (at < 0 || args.some((arg) => cleanLine(arg) !== arg)) return [];
  const [program = ""] = command.split(" ");
  const value = /^--[^=]+(=.*)$/su.exec(wrong)?.[1] ?? "";
  return [[program, ...args.with(at, meant + value).map(shellWord)].join(" ")];
}
