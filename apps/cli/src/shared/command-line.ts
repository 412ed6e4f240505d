import { CommanderError, Option } from "commander";
import { HELP, HELP_COMMAND, VERSION } from "./built-in.ts";
import { EXIT, type ExitCode } from "./exit-codes.ts";
import type { Translate } from "./fail.ts";
import { ignoreLostReader } from "./streams.ts";
import { type ParsedCommand, typedIn } from "./typed.ts";

/** What is used here of a program's parser and of its commands', with typed options or without. */
interface Parser extends ParsedCommand {
  readonly commands: readonly Parser[];
  name(): string;
  outputHelp(): void;
}

interface Program extends Parser {
  parseAsync(args: readonly string[], options: { from: "user" }): Promise<unknown>;
  hook(event: "preAction", listener: () => void): unknown;
}

/**
 * Runs the command that the arguments name and sets the process's exit code.
 *
 * @param create - Makes the parser; its commands say with which code to leave.
 * @param args - Arguments without the program's own path.
 * @param loadTranslate - Loads the module that says an error in the program's words.
 */
export async function runProgram(
  create: (done: (code: ExitCode) => void) => Program,
  args: readonly string[],
  loadTranslate: () => Promise<{ readonly translate: Translate }>,
): Promise<void> {
  const streams = { stdout: process.stdout, stderr: process.stderr };
  for (const stream of Object.values(streams)) stream.on("error", ignoreLostReader);
  let exitCode: ExitCode = EXIT.ok;
  const program = create((code) => {
    exitCode = code;
  });
  // Help needs none of it. A command may work for hours: by its end a file may be gone, as after an
  // upgrade, or not to be opened, as where too many are.
  let failing: ReturnType<typeof load> | undefined;
  const load = () => Promise.all([import("./fail.ts"), loadTranslate()]);
  program.hook("preAction", () => {
    failing = load();
    failing.catch(() => {}); // told where it is needed
  });
  try {
    if (args.length === 0) return program.outputHelp();
    await program.parseAsync(withHelpFlag(program, args), { from: "user" });
  } catch (error) {
    const named = namedIn(program, args);
    if (error instanceof CommanderError && error.code === "commander.help") {
      named.at(-1)?.outputHelp(); // of a family, without one of its commands
    } else if (!(error instanceof CommanderError) || error.exitCode !== 0) {
      const command = named.map((each) => each.name()).join(" ");
      const typed = typedIn(named.at(-1) ?? program, command);
      const [{ fail }, { translate }] = await (failing ?? load());
      const json = args.includes("--json");
      exitCode = fail(error, streams, { json, typed, args, translate });
    }
  }
  process.exitCode = exitCode;
}

/** `help run` as `run --help`; a word that is no command is refused as where it is typed without `help`. */
function withHelpFlag(program: Parser, args: readonly string[]): readonly string[] {
  const [first, ...rest] = args;
  if (first !== "help") return args;
  const [, ...named] = namedIn(program, rest);
  const [word = "help"] = rest;
  if (named.length === 0 && word !== "help" && !word.startsWith("-")) return [word];
  const names = named.map((each) => each.name());
  const [next = "-"] = rest.slice(named.length);
  const isFamily = (named.at(-1)?.commands.length ?? 0) > 0;
  return isFamily && !next.startsWith("-") ? [...names, next] : [...names, "--help"];
}

/** The program, and the command that the arguments name, with its family: `atlas`, `hook`, `status`. */
function namedIn(program: Parser, args: readonly string[]): readonly Parser[] {
  const found = [program];
  for (const arg of args) {
    const command = found.at(-1)?.commands.find((one) => one.name() === arg);
    if (command === undefined) break;
    found.push(command);
  }
  return found;
}

/** What is used here of a parser that is being set up, with typed options or without. */
interface Configurable {
  version(text: string, flags: string, description: string): this;
  helpOption(flags: string, description: string): this;
  commandsGroup(heading: string): this;
  helpCommand(name: string, description: string): this;
  configureHelp(configuration: { showGlobalOptions: boolean }): this;
  configureOutput(configuration: { writeErr: (text: string) => void }): this;
  exitOverride(): this;
  showSuggestionAfterError(show: boolean): this;
}

/** Sets up what all programs have alike. @param group - Of its first commands, and of `help` */
export function configured<P extends Configurable>(program: P, version: string, group: string): P {
  return (
    program
      .version(version, ...VERSION)
      .helpOption(...HELP)
      .commandsGroup(group)
      .helpCommand(...HELP_COMMAND)
      .configureHelp({ showGlobalOptions: false })
      // Errors are told in one place, see fail.ts.
      .configureOutput({ writeErr: () => {} })
      .exitOverride()
      .showSuggestionAfterError(true)
  );
}

/** A setting, as far as a flag shows it. */
export interface Flagged {
  readonly flag?: string | undefined;
  readonly earlierFlag?: string | undefined;
  readonly kind: { readonly placeholder: string; readonly words?: readonly string[] | undefined };
  readonly fallback: unknown;
  readonly help: string;
}

/**
 * The flag of a setting. One that takes a list may be given again and again.
 *
 * @param showsDefault - Whether what is left out is the default, and not as it was.
 */
export function settingOption(
  { flag = "", kind, fallback, help }: Flagged,
  showsDefault: boolean = true,
): Option {
  const shownDefault = showsDefault && isTold(fallback) ? ` (default: ${fallback})` : "";
  const option = new Option(`${flag} ${kind.placeholder}`.trim(), help + shownDefault);
  return Array.isArray(fallback) ? repeated(option) : option;
}

/** The flags by which a setting is known to the parser: the one that the help shows first. */
export function settingOptions(setting: Flagged, showsDefault: boolean): readonly Option[] {
  const { earlierFlag } = setting;
  const shown = settingOption(setting, showsDefault);
  if (earlierFlag === undefined) return [shown];
  return [shown, settingOption({ ...setting, flag: earlierFlag }, showsDefault).hideHelp()];
}

function isTold(fallback: unknown): fallback is string | number {
  return typeof fallback === "number" || (typeof fallback === "string" && fallback !== "");
}

/** Each time the flag is given there is one more value; a value is never taken for the next argument's. */
export function repeated(option: Option): Option {
  return option.argParser((value: string, all: readonly string[] | undefined) => [
    ...(all ?? []),
    value,
  ]);
}

/** The names under which the parser keeps the values of a setting's flags. */
export function attributesOf({
  flag = "",
  earlierFlag,
}: Pick<Flagged, "flag" | "earlierFlag">): readonly string[] {
  const flags = earlierFlag === undefined ? [flag] : [flag, earlierFlag];
  return flags.map((one) => new Option(one).attributeName());
}

/** How something is typed, and what it is or does. */
export type Described = readonly [typed: string, what: string];

const COLUMNS = 80;

/** What an example does stands beside it, or below where one of them is too long for that. */
export function examplesText(examples: readonly Described[]): string {
  const width = Math.max(...examples.map(([typed]) => typed.length)) + 2;
  const beside = examples.map(([typed, what]) => `  ${typed.padEnd(width)}${what}`);
  const lines = beside.every((line) => line.length <= COLUMNS)
    ? beside
    : examples.flatMap(([typed, what]) => [`  ${typed}`, `      ${what}`]);
  return `\nExamples:\n${lines.join("\n")}\n`;
}
