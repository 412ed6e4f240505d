import type { Described } from "./command-line.ts";
import type { FlagValuesOf } from "./config/table.ts";
import type { ExitCode } from "./exit-codes.ts";
import type { Typed } from "./typed.ts";

/** What a command was given: its options by their names, the settings among them apart. */
export interface GivenOf<Settings> {
  readonly json?: true | undefined;
  readonly flags: FlagValuesOf<Settings>;
  readonly typed: Typed;
}

/** A command as data: what its help says, what it takes, and what it does. */
export interface CommandSpecOf<Settings, Given> {
  /** As it is typed: `hook status`. */
  readonly name: string;
  /** An earlier name: works, and is not in the list of commands. @default false */
  readonly isUnlisted?: boolean | undefined;
  /** Of the help; left out for the commands of a group of their own, such as `hook`. */
  readonly group?: string | undefined;
  /** A line for the list. */
  readonly summary: string;
  /** For its own help. @default the summary */
  readonly description?: string | undefined;
  readonly args?: readonly Described[] | undefined;
  readonly options?: readonly OptionSpec[] | undefined;
  /** What `--json` prints, in words. @default one object, or a line for each */
  readonly json?: string | undefined;
  /** Whether it prints a document with `--json`, which no schema describes. @default false */
  readonly printsDocument?: boolean | undefined;
  /** Which settings are flags of it too. @default none */
  readonly settings?: readonly (keyof Settings & string)[] | undefined;
  /** Whether a setting that is left out is as it was, not its default. @default false */
  readonly keepsSettings?: boolean | undefined;
  readonly examples: readonly Described[];
  run(args: readonly (string | undefined)[], given: Given): Promise<ExitCode>;
}

/** An option, what it does, and its value where it is left out. A name that ends in `...>` is repeatable. */
export type OptionSpec = readonly [typed: string, what: string, fallback?: string] | UnlistedOption;

/** An option that the help passes over: it is for who has read of it elsewhere. */
export type UnlistedOption = readonly [typed: string, what: undefined];

/** Commands that have commands of their own. */
export type Families = Readonly<
  Record<string, { readonly group: string; readonly summary: string }>
>;
