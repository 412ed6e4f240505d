import { Command, Option } from "commander";
import { jsonFlag } from "./built-in.ts";
import type { CommandSpecOf, Families, GivenOf, OptionSpec } from "./command.ts";
import {
  attributesOf,
  configured,
  examplesText,
  type Flagged,
  repeated,
  settingOptions,
} from "./command-line.ts";
import type { ExitCode } from "./exit-codes.ts";
import { typedIn } from "./typed.ts";

/** A program as data. */
export interface ProgramSpec<Settings, Given> {
  /** `quasar` */
  readonly name: string;
  readonly description: string;
  readonly version: string;
  /** Of the help, for its first commands. */
  readonly group: string;
  readonly families: Families;
  /** What follows the list of commands in its help. */
  readonly after: string;
  readonly settings: Readonly<Record<keyof Settings & string, Flagged>>;
  /** Where else settings are from: `.quasar/config.toml and QUASAR_*`. */
  readonly sources: string;
  readonly commands: readonly CommandSpecOf<Settings, Given>[];
}

/** The parser of a program. @param done - Told with which code to leave. */
export function programOf<Settings, Given extends GivenOf<Settings>>(
  spec: ProgramSpec<Settings, Given>,
  done: (code: ExitCode) => void,
): Command {
  const { name, description, version, group, after } = spec;
  const program = configured(new Command(name).description(description), version, group);
  program.addHelpText("after", after);
  const families = new Map<string, Command>();
  for (const one of spec.commands) {
    const [family, own] = one.name.split(" ");
    const parent = family === undefined || own === undefined ? program : familyOf(family);
    addCommand(parent, spec, one, done);
  }
  return program;

  function familyOf(of: string): Command {
    const known = families.get(of);
    if (known !== undefined) return known;
    const { group: heading = "", summary = "" } = spec.families[of] ?? {};
    const family = program.command(of).helpGroup(heading).summary(summary).description(summary);
    families.set(of, family);
    return family;
  }
}

function addCommand<Settings, Given extends GivenOf<Settings>>(
  parent: Command,
  { name: program, settings: table, sources }: ProgramSpec<Settings, Given>,
  spec: CommandSpecOf<Settings, Given>,
  done: (code: ExitCode) => void,
): void {
  const { name, summary, description = summary, group, args = [], options = [] } = spec;
  const { settings = [], keepsSettings = false, isUnlisted = false, json } = spec;
  const { printsDocument = false } = spec;
  const last = name.split(" ").at(-1) ?? "";
  const command = parent
    .command(last, { hidden: isUnlisted })
    .summary(summary)
    .description(description);
  if (group !== undefined) command.helpGroup(group);
  for (const [typed, what] of args) command.argument(typed, what);
  for (const option of options) command.addOption(optionOf(option));
  command.option(...jsonFlag(json));
  if (settings.length > 0) {
    command.optionsGroup(
      keepsSettings ? "Settings, as they were where left out:" : `Settings, also of ${sources}:`,
    );
    for (const one of settings) {
      for (const option of settingOptions(table[one], !keepsSettings)) command.addOption(option);
    }
  }
  command.addHelpText("after", examplesText(spec.examples));
  if (!printsDocument) command.addHelpText("after", `Schema: ${schemaCommand(program, name)}\n`);
  command.action(async (...parsed: unknown[]) => {
    const nameOfFlag = new Map(
      settings.flatMap((one) => attributesOf(table[one]).map((each) => [each, one] as const)),
    );
    const flags: Record<string, unknown> = {};
    const others: Record<string, unknown> = {};
    for (const [attribute, value] of Object.entries(command.opts())) {
      const setting = nameOfFlag.get(attribute);
      if (setting === undefined) others[attribute] = value;
      else flags[setting] = both(flags[setting], value);
    }
    const typed = typedIn(command, `${program} ${name}`);
    const texts = parsed.slice(0, args.length) as readonly (string | undefined)[];
    // The parser has checked what the specification names.
    done(await spec.run(texts, { ...others, flags, typed } as unknown as Given));
  });
}

/** What prints the schema of what a command prints with `--json`. */
function schemaCommand(program: string, name: string): string {
  return `${program} schema ${name.replaceAll(" ", "-")}`;
}

/** What was given by two names of a flag: lists are joined, of other values the later counts. */
function both(before: unknown, value: unknown): unknown {
  const lists: readonly unknown[] = [before, value];
  return lists.every((one) => Array.isArray(one)) ? lists.flat() : value;
}

function optionOf([typed, what, fallback]: OptionSpec): Option {
  if (what === undefined) return new Option(typed).hideHelp();
  const option = new Option(typed, what);
  if (fallback !== undefined) option.default(fallback);
  return option.flags.endsWith("...>")
    ? repeated(new Option(typed.replace("...>", ">"), what))
    : option;
}
