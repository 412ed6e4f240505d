import { suggestion } from "@quasar/runs/internal";
import { cleanLine, fit } from "@quasar/runs/text";
import { CliError } from "../errors.ts";
import type { Kind } from "./kinds.ts";

/** One thing that a user can set: the place that names its key, flag, variable, kind and default. */
export interface Setting<T> {
  /** Its key in a configuration file; within a table `table.key`. */
  readonly key: string;
  /** `undefined`: it cannot be given on the command line. */
  readonly flag?: string | undefined;
  /** Another name of the flag, which no help shows. @default none */
  readonly earlierFlag?: string | undefined;
  /** `undefined`: it cannot be given in the environment. */
  readonly env?: string | undefined;
  readonly kind: Kind<T>;
  readonly fallback: T;
  readonly help: string;
  /** Whether a repository may not set this value without the user's word: it runs or spends. */
  readonly guarded: (value: T) => boolean;
  /** Whether a repository may not set it at all: it says what agents may do as the user. @default false */
  readonly userOnly?: boolean | undefined;
  /** Whether a run keeps it; else a resume takes what the user's own file says then. @default true */
  readonly isKept?: boolean | undefined;
  /** Whether it is listed where nobody has set it. @default true */
  readonly isShownUnset?: boolean | undefined;
}

/** Every setting of a program. */
export type SettingsTable<S> = { readonly [Name in keyof S]: Setting<S[Name]> };

/** Settings from one place: a file, the environment, the command line. */
export interface LayerOf<S> {
  /** Where the settings come from, for messages. */
  readonly source: string;
  readonly values: Partial<S>;
  /** What a person should know, and nothing stops for. */
  readonly warnings: readonly string[];
  /** Where a key's value stands: `config.toml:3:1`, `QUASAR_CODER`. @default the source */
  readonly placeOf?: PlaceOf | undefined;
}

/** The source of what was typed. */
export const COMMAND_LINE = "command line";

export type PlaceOf = (key: string) => string;

/** Flags as the command line's parser gives them, by setting. */
export type FlagValuesOf<S> = Readonly<
  Partial<Record<keyof S, string | readonly string[] | boolean>>
>;

export type TomlValue =
  | string
  | number
  | boolean
  | readonly TomlValue[]
  | { readonly [key: string]: TomlValue };

/** Reads the settings of a table from where they may stand. */
export interface SettingsReader<S> {
  readonly names: readonly (keyof S & string)[];
  /**
   * The settings among the keys of a parsed TOML document. Unknown keys warn.
   *
   * @throws {CliError} `ERR_CONFIG` for a value of the wrong kind; names its place and the key.
   */
  tomlLayer(
    source: string,
    document: Readonly<Record<string, unknown>>,
    placeOf?: PlaceOf,
  ): LayerOf<S>;
  /**
   * The settings among the variables of the program's prefix. Unknown names warn.
   *
   * @throws {CliError} `ERR_CONFIG` for a value of the wrong kind.
   */
  envLayer(env: Readonly<Record<string, string | undefined>>): LayerOf<S>;
  /** @throws {CliError} `ERR_USAGE` for a value of the wrong kind. */
  flagLayer(flags: FlagValuesOf<S>): LayerOf<S>;
  /** The settings that hold: the first layer that says something wins, then the default. */
  resolve(layers: readonly LayerOf<S>[]): S;
  /** Settings as a run keeps them: TOML values by their keys in a file. */
  toToml(settings: Partial<S>): Record<string, TomlValue>;
  /** The settings of a layer that a repository may not make without the user's word. */
  guardedOf(layer: LayerOf<S>): Partial<S>;
  /** What a run does not keep of a layer. */
  unkeptOf(layer: LayerOf<S>): LayerOf<S>;
  /** A repository's layer without what only the user may set; what was there is warned of. */
  fromRepository(layer: LayerOf<S>): LayerOf<S>;
}

export interface ReaderOptions {
  /** Of the variables that are settings: `QUASAR_`. */
  readonly prefix: string;
  /** Variables of the prefix that are no settings. */
  readonly otherVariables: readonly string[];
}

interface SplitDocument {
  readonly found: readonly (readonly [key: string, value: unknown])[];
  readonly rest: Readonly<Record<string, unknown>>;
}

type Writable<T> = { -readonly [K in keyof T]: T[K] };

export function readerOf<S extends object>(
  table: SettingsTable<S>,
  { prefix, otherVariables }: ReaderOptions,
): SettingsReader<S> {
  type Name = keyof S & string;
  const names = Object.keys(table) as Name[];
  const byKey = new Map(names.map((name) => [table[name].key, name]));
  const byVariable = new Map(
    names.flatMap((name) => {
      const { env } = table[name];
      return env === undefined ? [] : [[env, name] as const];
    }),
  );

  function set<N extends Name>(
    values: Partial<Writable<S>>,
    name: N,
    where: () => string,
    read: (kind: Kind<S[N]>) => S[N] | undefined,
    given: string,
    code: "ERR_CONFIG" | "ERR_USAGE" = "ERR_CONFIG",
  ): void {
    const { kind } = table[name];
    const value = read(kind);
    if (value === undefined) {
      throw new CliError(code, `${where()} must be ${kind.expected}, not ${given}`);
    }
    values[name] = value;
  }

  const hasTable = (key: string, value: unknown): value is Readonly<Record<string, unknown>> =>
    isRecord(value) && [...byKey.keys()].some((known) => known.startsWith(`${key}.`));

  /** The settings of a document by their keys, and what is none. A setting's table has what in it is no other setting. */
  function split(document: Readonly<Record<string, unknown>>, under = ""): SplitDocument {
    const found: SplitDocument["found"][number][] = [];
    const rest: Record<string, unknown> = {};
    for (const [last, value] of Object.entries(document)) {
      const key = under + last;
      const within = hasTable(key, value) ? split(value, `${key}.`) : undefined;
      found.push(...(within?.found ?? []));
      if (within !== undefined && Object.keys(within.rest).length === 0) continue;
      if (byKey.has(key)) found.push([key, within?.rest ?? value]);
      else rest[last] = within?.rest ?? value;
    }
    return { found, rest };
  }

  /** The keys of what is no setting; a table in which there could be settings is named by what is in it. */
  function keysOf(rest: SplitDocument["rest"], under = ""): readonly string[] {
    return Object.entries(rest).flatMap(([last, value]) => {
      const key = under + last;
      return hasTable(key, value) ? keysOf(value, `${key}.`) : [key];
    });
  }

  return {
    names,
    tomlLayer(source, document, placeOf = () => source) {
      const values: Partial<Writable<S>> = {};
      const { found, rest } = split(document);
      for (const [key, value] of found) {
        const name = byKey.get(key);
        if (name === undefined) continue;
        const where = (): string => `${placeOf(key)}: ${key}`;
        set(values, name, where, (kind) => kind.fromToml(value), describe(value));
      }
      const warnings = keysOf(rest).map(
        (key) =>
          `${placeOf(key)}: unknown key "${shown(key)}"${suggestion(key, [...byKey.keys()])}`,
      );
      return { source, values, warnings, placeOf };
    },
    envLayer(env) {
      const values: Partial<Writable<S>> = {};
      const warnings: string[] = [];
      for (const [variable, value] of Object.entries(env)) {
        if (!variable.startsWith(prefix) || value === undefined) continue;
        const name = byVariable.get(variable);
        if (name !== undefined) {
          set(
            values,
            name,
            () => variable,
            (kind) => kind.fromText(value),
            describe(value),
          );
        } else if (!otherVariables.includes(variable)) {
          const known = suggestion(variable, [...byVariable.keys()]);
          warnings.push(`unknown variable "${shown(variable)}" in the environment${known}`);
        }
      }
      const placeOf: PlaceOf = (key) => {
        const name = byKey.get(key);
        return (name === undefined ? undefined : table[name].env) ?? key;
      };
      return { source: "environment", values, warnings, placeOf };
    },
    flagLayer(flags) {
      const values: Partial<Writable<S>> = {};
      for (const name of names) {
        const value = flags[name];
        if (value === undefined) continue;
        // A list and a switch arrive parsed; everything else is text.
        set(
          values,
          name,
          () => table[name].flag ?? table[name].key,
          (kind) => (typeof value === "string" ? kind.fromText(value) : kind.fromToml(value)),
          describe(value),
          "ERR_USAGE",
        );
      }
      return { source: COMMAND_LINE, values, warnings: [] };
    },
    resolve(layers) {
      const defaults = Object.fromEntries(names.map((name) => [name, table[name].fallback]));
      return layers.reduceRight<S>(
        (settings, layer) => ({ ...settings, ...layer.values }),
        defaults as S,
      );
    },
    toToml(settings) {
      const document: Record<string, TomlValue> = {};
      for (const name of names) {
        const value = settings[name];
        const { key, isKept = true } = table[name];
        if (value !== undefined && isKept) document[key] = value as TomlValue;
      }
      return document;
    },
    unkeptOf({ source, values }) {
      const unkept = names.filter((name) => table[name].isKept === false && name in values);
      const chosen = Object.fromEntries(unkept.map((name) => [name, values[name]]));
      return { source, values: chosen as Partial<S>, warnings: [] };
    },
    fromRepository({ source, values, warnings, placeOf = () => source }) {
      const isDropped = (name: Name): boolean =>
        table[name].userOnly === true && values[name] !== undefined;
      const dropped = names.filter(isDropped);
      const kept = names.filter((name) => values[name] !== undefined && !isDropped(name));
      return {
        source,
        placeOf,
        values: Object.fromEntries(kept.map((name) => [name, values[name]])) as Partial<S>,
        warnings: [
          ...warnings,
          ...dropped.map(
            (name) =>
              `${placeOf(table[name].key)}: ${table[name].key} is ignored here: set it in your own configuration`,
          ),
        ],
      };
    },
    guardedOf(layer) {
      const guarded = names.filter((name) => {
        const value: S[Name] | undefined = layer.values[name];
        return value !== undefined && table[name].guarded(value);
      });
      return Object.fromEntries(guarded.map((name) => [name, layer.values[name]])) as Partial<S>;
    },
  };
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return (
    typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Date)
  );
}

function shown(text: string): string {
  return fit(cleanLine(text), 60);
}

function describe(value: unknown): string {
  if (typeof value === "string") return `"${shown(value)}"`;
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  if (value instanceof Date) return "a date";
  return Array.isArray(value) ? "a list" : "this table";
}
