import { Command, Option } from "commander";
import {
  attributeOf,
  configured,
  examplesText,
  repeated,
  runProgram,
  settingOption,
} from "../shared/command-line.ts";
import type { ExitCode } from "../shared/exit-codes.ts";
import { typedIn } from "../shared/typed.ts";
import type { CommandSpec, Given } from "./command.ts";
import { COMMANDS, EXIT_CODES, FAMILIES, FIRST_EXAMPLES, GROUPS } from "./commands.ts";
import { type AtlasSettings, SETTINGS } from "./config/settings.ts";
import { translate } from "./translate.ts";

/**
 * Runs the command that the arguments name and sets the process's exit code.
 *
 * @param args - Arguments without the program's own path.
 * @param version - Of the command.
 */
export function main(args: readonly string[], version: string): Promise<void> {
  return runProgram((done) => createProgram(version, done), args, { translate });
}

/** Of `atlas`, with all its commands. */
export function createProgram(
  version: string,
  done: (code: ExitCode) => void,
  commands: readonly CommandSpec[] = COMMANDS,
): Command {
  const program = configured(
    new Command("atlas").description(
      "Takes a task through its steps with a coding agent: from a description to a pull\n" +
        "request, and on from exactly where it stopped after any crash.",
    ),
    version,
    GROUPS.begin,
  );
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
    for (const setting of settings) command.addOption(settingOption(SETTINGS[setting]));
  }
  command.addHelpText("after", examplesText(spec.examples)).action(async (...parsed: unknown[]) => {
    const given = {
      ...givenOf(command.opts(), settings),
      typed: typedIn(command, `atlas ${spec.name}`),
    };
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

/** A command's options, with the settings among them apart. */
function givenOf(
  values: Readonly<Record<string, unknown>>,
  settings: readonly (keyof AtlasSettings)[],
): Omit<Given, "typed"> {
  const nameOfFlag = new Map(settings.map((name) => [attributeOf(SETTINGS[name]), name]));
  const flags: Record<string, unknown> = {};
  const others: Record<string, unknown> = {};
  for (const [attribute, value] of Object.entries(values)) {
    const name = nameOfFlag.get(attribute);
    if (name === undefined) others[attribute] = value;
    else flags[name] = value;
  }
  return { ...others, flags };
}
