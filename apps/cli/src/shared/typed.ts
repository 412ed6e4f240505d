import { shellWord } from "@quasar/runs/text";
import { REMARK } from "./remark.ts";

/** What is used here of a command that was parsed. */
export interface ParsedCommand {
  readonly options: readonly {
    readonly long?: string | undefined;
    readonly short?: string | undefined;
    attributeName(): string;
  }[];
  readonly args: readonly string[];
  getOptionValue(name: string): unknown;
  getOptionValueSource(name: string): string | undefined;
}

/** A flag that was typed. */
export interface TypedFlag {
  /** `--file` and `-f`. */
  readonly names: readonly [long: string, ...short: string[]];
  /** What stands after it: quoted for a shell, or nothing. */
  readonly value: string;
}

/** A command as a person typed it, as far as the next one has to repeat it. */
export interface Typed {
  /** `quasar resume` */
  readonly command: string;
  /** What it is about, by its id; `undefined`: nothing was named. */
  readonly id: string | undefined;
  readonly flags: readonly TypedFlag[];
}

/** What holds for one time only: how a command shows what it does, and that an agent is asked at once. */
const ONCE: ReadonlySet<string> = new Set(["--json", "--plan", "--now"]);

/** @param command - `quasar resume` */
export function typedIn(parsed: ParsedCommand, command: string): Typed {
  const flags = parsed.options.flatMap((option): TypedFlag[] => {
    const { long = "", short } = option;
    const name = option.attributeName();
    if (ONCE.has(long) || parsed.getOptionValueSource(name) !== "cli") return [];
    return [parsed.getOptionValue(name)].flat().map((value) => {
      const names = [long, ...(short === undefined ? [] : [short])] as const;
      // `false` is what an option like --no-input says.
      const isFlag = typeof value === "boolean";
      return { names, value: isFlag ? "" : ` ${shellWord(String(value))}` };
    });
  });
  const [id] = TAKES_ID.has(command) ? parsed.args : [];
  return { command, id, flags };
}

const TAKES_ID: ReadonlySet<string> = new Set(["quasar resume", "atlas resume"]);

/** What says the same as the text that is a command's argument: no command takes both. */
const SAYS_IT_TOO = "--file";

/** The flags that a command refuses beside another one. */
const NOT_BESIDE: Readonly<Record<string, ReadonlySet<string>>> = {
  "--resume": new Set(["--fresh", "--base", "--branch"]),
  "--fresh": new Set(["--resume"]),
  "--fleet": new Set(["--html", "--open"]),
};

/**
 * The same advice with what the person typed, where it is to type the same command again: what it was about,
 * and each flag that the advice does not have, and that goes together with those that it has.
 */
export function withTyped(step: string, { command, id, flags }: Typed): string {
  const [, before = "", given = "", after = ""] = partsOf(step, command) ?? [];
  if (before === "" || given.includes(" --help")) return step;
  const words = given.split(" ");
  const hasArgument = /^ (?:[^-]|-(?: |$))/u.test(given);
  const isNamed = id === undefined || hasArgument || words.includes(shellWord(id));
  const more = flags
    .filter(({ names }) => !names.some((name) => words.includes(name)))
    .filter(({ names }) => !(hasArgument && names[0] === SAYS_IT_TOO))
    .filter(({ names }) => !words.some((word) => NOT_BESIDE[word]?.has(names[0]) === true))
    .map(({ names, value }) => ` ${names[0]}${value}`);
  const named = isNamed ? "" : ` ${shellWord(id)}`;
  return `${before}${named}${given}${more.join("")}${after}`;
}

/** The command, what stands after it, and what is said of it. */
function partsOf(step: string, command: string): RegExpExecArray | null {
  return new RegExp(
    String.raw`^((?:.* (?:&&|\|) )?${command})((?: .*?)?)(${REMARK}(?:(?!${REMARK}).)*|, .*)?$`,
    "u",
  ).exec(step);
}
