import { HELP, HELP_COMMAND, VERSION } from "../built-in.ts";
import {
  type CommandWords,
  type Completable,
  type Flag,
  flagOf,
  flagsOf,
  placeholderOf,
} from "./flags.ts";
import { type Candidate, type Values, words as candidates } from "./values.ts";

/** What can stand at the cursor. */
export interface AtCursor {
  readonly values: Values;
  /** The command's arguments before it. */
  readonly args: readonly string[];
  /** What of the word is no value: `--coder=`. */
  readonly before: string;
  /** What of the value is there already. */
  readonly typed: string;
}

const NOTHING = { values: [], args: [], before: "" } as const;

/**
 * What can stand at the cursor of a command line.
 *
 * @param words - Those after the program's name, up to the cursor: the last is the one that is typed, `""` where none is
 *   begun.
 */
export function atCursor(program: Completable, words: readonly string[]): AtCursor {
  // A shell gives it with the quote that is still open.
  const typed = (words.at(-1) ?? "").replace(/^["']/u, "");
  const line = words.slice(0, -1);
  const named = line.slice(countWhile(line, (word) => word.startsWith("-")));
  const isHelp = named[0] === "help";
  const path = isHelp ? named.slice(1) : named;
  const [first = "", second = ""] = path;
  const command = program.commands.find(
    ({ name }) => name === first || name === `${first} ${second}`,
  );
  if (command !== undefined && !isHelp) {
    return inCommand(program, command, path.slice(command.name.split(" ").length), typed);
  }
  if (command !== undefined || path.length > 1) return { ...NOTHING, typed };
  const isFlag = typed.startsWith("-") && !isHelp;
  if (first === "") {
    const help: readonly Candidate[] = isHelp ? [] : [["help", HELP_COMMAND[1]]];
    const values = isFlag ? namesOf([VERSION, HELP]) : [...commandsOf(program), ...help];
    return { ...NOTHING, values, typed };
  }
  return { ...NOTHING, values: isFlag ? namesOf([HELP]) : membersOf(program, first), typed };
}

/** The commands and families of a program, in the order of its help. */
function commandsOf({ commands, families }: Completable): readonly Candidate[] {
  const listed = commands.filter(({ isUnlisted }) => isUnlisted !== true);
  const entries = listed.map(({ name, summary }): Candidate => {
    const [first = "", own] = name.split(" ");
    return own === undefined ? [name, summary] : [first, families[first]?.summary ?? ""];
  });
  return [...new Map(entries)];
}

/** The commands of a family. */
function membersOf({ commands }: Completable, family: string): readonly Candidate[] {
  const prefix = `${family} `;
  const members = commands.filter(({ name }) => name.startsWith(prefix));
  return members.map(({ name, summary }) => [name.slice(prefix.length), summary]);
}

function namesOf(flags: readonly (readonly [typed: string, what: string])[]): readonly Candidate[] {
  return flags.map(([typed, what]) => [flagOf(typed, what).long, what]);
}

/** @param words - Those after the command's name and before the cursor. */
function inCommand(
  program: Completable,
  command: CommandWords,
  words: readonly string[],
  typed: string,
): AtCursor {
  const flags = flagsOf(command, program.settings);
  const { given, pending, args, areFlagsOver } = readLine(words, flags);
  if (pending !== undefined) {
    return { ...NOTHING, values: valuesOf(program, command, pending), args, typed };
  }
  if (areFlagsOver || !typed.startsWith("-")) {
    const [argument = ""] = command.args?.[args.length] ?? [];
    const name = placeholderOf(argument);
    const values = lookUp(program, [`${command.name} ${name}`, name]);
    return { ...NOTHING, values, args, typed };
  }
  const [, name = "", value = ""] = /^(--[^=]+)=(.*)$/su.exec(typed) ?? [];
  const flag = flags.find(({ long }) => long === name);
  if (flag !== undefined) {
    const values = valuesOf(program, command, flag);
    return { values, args, before: `${name}=`, typed: value };
  }
  const open = flags.filter((each) => each.isRepeatable || !given.has(each));
  return { ...NOTHING, values: open.map(({ long, what }) => [long, what]), args, typed };
}

/** What is before the cursor, as the parser is going to read it. */
interface Line {
  readonly given: ReadonlySet<Flag>;
  /** The flag whose value is next. */
  readonly pending: Flag | undefined;
  readonly args: readonly string[];
  /** Whether `--` has said that only arguments follow. */
  readonly areFlagsOver: boolean;
}

function readLine(words: readonly string[], flags: readonly Flag[]): Line {
  const given = new Set<Flag>();
  let pending: Flag | undefined;
  const args: string[] = [];
  let areFlagsOver = false;
  for (const word of words) {
    if (pending !== undefined) pending = undefined;
    else if (areFlagsOver || word === "-" || !word.startsWith("-")) args.push(word);
    else if (word === "--") areFlagsOver = true;
    else {
      const [name = "", value] = word.split("=", 2);
      const flag = flags.find(({ names }) => names.includes(name));
      if (flag !== undefined) given.add(flag);
      if (flag?.placeholder !== undefined && value === undefined) pending = flag;
    }
  }
  return { given, pending, args, areFlagsOver };
}

function valuesOf(
  program: Completable,
  { name }: CommandWords,
  { long, words, placeholder }: Flag,
): Values {
  if (words !== undefined) return candidates(...words);
  if (placeholder === undefined) return [];
  return lookUp(program, [`${name} ${long}`, long, placeholder]);
}

/** What the first of the names stands for that the program's table has. */
function lookUp({ values }: Completable, names: readonly (string | undefined)[]): Values {
  const known = names.find((name) => name !== undefined && Object.hasOwn(values, name));
  return values[known ?? ""] ?? [];
}

function countWhile<T>(all: readonly T[], isWanted: (each: T) => boolean): number {
  const end = all.findIndex((each) => !isWanted(each));
  return end < 0 ? all.length : end;
}
