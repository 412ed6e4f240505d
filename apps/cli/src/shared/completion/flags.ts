import { HELP, jsonFlag } from "../built-in.ts";
import type { CommandSpecOf, Families } from "../command.ts";
import type { Flagged } from "../command-line.ts";
import type { ValuesTable } from "./values.ts";

/** A program's specification, as far as it says what can be typed. */
export interface Completable {
  readonly families: Families;
  readonly commands: readonly CommandWords[];
  readonly settings: Readonly<Record<string, Flagged>>;
  readonly values: ValuesTable;
}

/** The same of a command. */
export type CommandWords = Pick<
  CommandSpecOf<Record<string, unknown>, never>,
  "name" | "summary" | "args" | "options" | "settings" | "json" | "isUnlisted"
>;

/** A flag of a command, as completion needs it. */
export interface Flag {
  readonly long: string;
  readonly names: readonly string[];
  readonly what: string;
  /** What stands for its value: `path`; `undefined` for a flag that takes none. */
  readonly placeholder: string | undefined;
  /** Values of a setting, where it offers some. */
  readonly words: readonly string[] | undefined;
  readonly isRepeatable: boolean;
}

/** The flags of a command, in the order of its help. */
export function flagsOf(
  { options = [], settings = [], json }: CommandWords,
  table: Completable["settings"],
): readonly Flag[] {
  const own = options.flatMap(([typed, what]) => (what === undefined ? [] : [flagOf(typed, what)]));
  const ofSettings = settings.flatMap((name) => {
    const { flag, kind, help, fallback } = table[name] ?? {};
    if (flag === undefined || kind === undefined) return [];
    const { words } = kind;
    const isRepeatable = Array.isArray(fallback);
    return [{ ...flagOf(`${flag} ${kind.placeholder}`, help ?? ""), words, isRepeatable }];
  });
  return [...own, flagOf(...jsonFlag(json)), ...ofSettings, flagOf(...HELP)];
}

/** @param typed - As in a help: `-f, --file <path>`. */
export function flagOf(typed: string, what: string): Flag {
  const names = typed.match(/(?<!\S)--?\w[\w-]*/gu) ?? [];
  const long = names.find((name) => name.startsWith("--")) ?? "";
  const isRepeatable = typed.endsWith("...>");
  return { long, names, what, placeholder: placeholderOf(typed), words: undefined, isRepeatable };
}

/** `<path>`, `[run]` and `<name=value...>` without what stands around them. */
export function placeholderOf(typed: string): string | undefined {
  return /[<[]([^\]>]+?)(?:\.\.\.)?[\]>]/u.exec(typed)?.[1];
}
