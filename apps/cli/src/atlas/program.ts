import { Command, CommanderError, Option } from "commander";
import { EXIT, type ExitCode } from "../exit-codes.ts";
import { fail } from "../fail.ts";
import { ignoreLostReader } from "../streams.ts";
import type { CommandSpec, Described, Given } from "./command.ts";
import { COMMANDS, EXIT_CODES, FAMILIES, FIRST_EXAMPLES, GROUPS } from "./commands.ts";
import { type AtlasSettings, SETTINGS } from "./config/settings.ts";
import { translate } from "./translate.ts";

/**
 * Runs the command that the arguments name and sets the process's exit code.
 *
 * @param args - Arguments without the program's own path.
 * @param version - Of the command.
 */
export async function main(args: readonly string[], version: string): Promise<void> {
  const streams = { stdout: process.stdout, stderr: process.stderr };
  for (const stream of Object.values(streams)) stream.on("error", ignoreLostReader);
  let exitCode: ExitCode = EXIT.ok;
  const program = createProgram(version, (code) => {
    exitCode = code;
  });
  try {
    if (args.length === 0) return program.outputHelp();
    await program.parseAsync(args, { from: "user" });
  } catch (error) {
    const named = namedIn(program, args);
    if (error instanceof CommanderError && error.code === "commander.help") {
      named.outputHelp(); // of a family, without one of its commands
    } else if (!(error instanceof CommanderError) || error.exitCode !== 0) {
      const command = nameOf(named);
      exitCode = fail(error, streams, { json: args.includes("--json"), command, translate });
    }
  }
  process.exitCode = exitCode;
}

/** The command that arguments name. */
function namedIn(program: Command, args: readonly string[]): Command {
  let found = program;
  for (const arg of args) {
    const command = found.commands.find((one) => one.name() === arg);
    if (command === undefined) break;
    found = command;
  }
  return found;
}

/** With its program and its family: `atlas hook status`. */
function nameOf(command: Command): string {
  const { parent } = command;
  return parent === null ? command.name() : `${nameOf(parent)} ${command.name()}`;
}

/** Of `atlas`, with all its commands. */
export function createProgram(
  version: string,
  done: (code: ExitCode) => void,
  commands: readonly CommandSpec[] = COMMANDS,
): Command {
  const program = new Command("atlas")
    .description(
      "Takes a task through its steps with a coding agent: from a description to a pull\n" +
        "request, and on from exactly where it stopped after any crash.",
    )
    .version(version, "-V, --version", "print the version")
    .helpOption("-h, --help", "show help")
    .commandsGroup(GROUPS.begin)
    .helpCommand("help [command]", "show help for a command")
    .configureHelp({ showGlobalOptions: false })
    // Errors are told in one place, see fail.ts.
    .configureOutput({ writeErr: () => {} })
    .exitOverride()
    .showSuggestionAfterError(true);
  program.addHelpText("after", examplesText(FIRST_EXAMPLES) + EXIT_CODES);

  const families = new Map<string, Command>();
  for (const spec of commands) {
    const words = spec.name.split(" ");
    const last = words.pop() ?? "";
    const [family] = words;
    addCommand(family === undefined ? program : familyOf(family), last, spec, done);
  }
  return program;

  function familyOf(name: string): Command {
    const known = families.get(name);
    if (known !== undefined) return known;
    const { group, summary } = FAMILIES[name] ?? { group: "", summary: "" };
    const family: Command = program
      .command(name)
      .helpGroup(group)
      .summary(summary)
      .description(summary);
    families.set(name, family);
    return family;
  }
}

function addCommand(
  parent: Command,
  name: string,
  spec: CommandSpec,
  done: (code: ExitCode) => void,
): void {
  const { summary, description = summary, group, args = [], options = [], settings = [] } = spec;
  const command = parent.command(name).summary(summary).description(description);
  if (group !== undefined) command.helpGroup(group);
  for (const [typed, what] of args) command.argument(typed, what);
  for (const [typed, what] of options) command.addOption(optionOf(typed, what));
  command.option("--json", "machine-readable output on standard output");
  if (settings.length > 0) {
    command.optionsGroup("Settings, also of .atlas/config.toml and ATLAS_*:");
    for (const setting of settings) command.addOption(settingOption(setting));
  }
  command.addHelpText("after", examplesText(spec.examples)).action(async (...parsed: unknown[]) => {
    const given = givenOf(command.opts(), settings);
    const texts = parsed.slice(0, args.length) as readonly (string | undefined)[];
    done(await spec.run(texts, given));
  });
}

function optionOf(typed: string, what: string): Option {
  const option = new Option(typed, what);
  return option.flags.endsWith("...>")
    ? repeated(new Option(typed.replace("...>", ">"), what))
    : option;
}

/** Each time the flag is given there is one more value; a value is never taken for the next argument's. */
function repeated(option: Option): Option {
  return option.argParser((value: string, all: readonly string[] | undefined) => [
    ...(all ?? []),
    value,
  ]);
}

function settingOption(name: keyof AtlasSettings): Option {
  const { flag = "", kind, fallback, help } = SETTINGS[name];
  const shownDefault = isTold(fallback) ? ` (default: ${fallback})` : "";
  const option = new Option(`${flag} ${kind.placeholder}`.trim(), help + shownDefault);
  return Array.isArray(fallback) ? repeated(option) : option;
}

function isTold(fallback: unknown): fallback is string | number {
  return typeof fallback === "number" || (typeof fallback === "string" && fallback !== "");
}

/** A command's options, with the settings among them apart. */
function givenOf(
  values: Readonly<Record<string, unknown>>,
  settings: readonly (keyof AtlasSettings)[],
): Given {
  const nameOfFlag = new Map(settings.map((name) => [attributeOf(name), name]));
  const flags: Record<string, unknown> = {};
  const others: Record<string, unknown> = {};
  for (const [attribute, value] of Object.entries(values)) {
    const name = nameOfFlag.get(attribute);
    if (name === undefined) others[attribute] = value;
    else flags[name] = value;
  }
  return { ...others, flags };
}

/** The name under which the parser keeps a flag's value. */
function attributeOf(name: keyof AtlasSettings): string {
  return new Option(SETTINGS[name].flag ?? "").attributeName();
}

const COLUMNS = 80;

/** What an example does stands beside it, or below where one of them is too long for that. */
function examplesText(examples: readonly Described[]): string {
  const width = Math.max(...examples.map(([typed]) => typed.length)) + 2;
  const beside = examples.map(([typed, what]) => `  ${typed.padEnd(width)}${what}`);
  const lines = beside.every((line) => line.length <= COLUMNS)
    ? beside
    : examples.flatMap(([typed, what]) => [`  ${typed}`, `      ${what}`]);
  return `\nExamples:\n${lines.join("\n")}\n`;
}
