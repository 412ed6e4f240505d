import { CliError } from "../errors.ts";
import { cleanLine } from "../output/clean.ts";
import { fit } from "../output/width.ts";
import { SETTING_NAMES, SETTINGS, type SettingName, type Settings } from "./settings.ts";

/** Settings from one place: a file, the environment, the command line. */
export interface Layer {
  /** Where the settings come from, for messages. */
  readonly source: string;
  readonly values: Partial<Settings>;
  /** What a person should know, and nothing stops for. */
  readonly warnings: readonly string[];
}

/** `QUASAR_*` variables that are no settings. */
const OTHER_VARIABLES: ReadonlySet<string> = new Set([
  "QUASAR_RUN_ID",
  "QUASAR_TURN_ID",
  "QUASAR_DEBUG",
]);

/**
 * Reads the settings among the keys of a parsed TOML document. Unknown keys warn.
 *
 * @throws {CliError} `ERR_CONFIG` for a value of the wrong kind; names the source and the key.
 */
export function tomlLayer(source: string, document: Readonly<Record<string, unknown>>): Layer {
  const byKey = new Map(SETTING_NAMES.map((name) => [SETTINGS[name].key, name]));
  const values: Partial<Settings> = {};
  const warnings: string[] = [];
  for (const [key, value] of Object.entries(document)) {
    const name = byKey.get(key);
    if (name === undefined) {
      warnings.push(`${source}: unknown key "${shown(key)}"${suggestion(key, [...byKey.keys()])}`);
    } else {
      set(values, name, `${source}: ${key}`, (kind) => kind.fromToml(value), describe(value));
    }
  }
  return { source, values, warnings };
}

/**
 * Reads `QUASAR_*`. Unknown names warn.
 *
 * @throws {CliError} `ERR_CONFIG` for a value of the wrong kind.
 */
export function envLayer(env: Readonly<Record<string, string | undefined>>): Layer {
  const byVariable = new Map(SETTING_NAMES.map((name) => [SETTINGS[name].env, name]));
  const values: Partial<Settings> = {};
  const warnings: string[] = [];
  for (const [variable, value] of Object.entries(env)) {
    if (!variable.startsWith("QUASAR_") || value === undefined) continue;
    const name = byVariable.get(variable);
    if (name !== undefined) {
      set(values, name, variable, (kind) => kind.fromText(value), describe(value));
    } else if (!OTHER_VARIABLES.has(variable)) {
      const known = suggestion(variable, [...byVariable.keys()]);
      warnings.push(`unknown variable "${shown(variable)}" in the environment${known}`);
    }
  }
  return { source: "environment", values, warnings };
}

/** Flags as the command line's parser gives them, by setting. */
export type FlagValues = Readonly<
  Partial<Record<SettingName, string | readonly string[] | boolean>>
>;

/** @throws {CliError} `ERR_USAGE` for a value of the wrong kind. */
export function flagLayer(flags: FlagValues): Layer {
  const values: Partial<Settings> = {};
  for (const name of SETTING_NAMES) {
    const value = flags[name];
    if (value === undefined) continue;
    const read = typeof value === "string" ? "fromText" : "fromToml";
    // A list and a switch arrive parsed; everything else is text.
    set(
      values,
      name,
      SETTINGS[name].flag,
      (kind) => (read === "fromText" ? kind.fromText(String(value)) : kind.fromToml(value)),
      describe(value),
      "ERR_USAGE",
    );
  }
  return { source: "command line", values, warnings: [] };
}

/** The settings that hold: the first layer that says something wins, then the default. */
export function resolve(layers: readonly Layer[]): Settings {
  const defaults = Object.fromEntries(
    SETTING_NAMES.map((name) => [name, SETTINGS[name].fallback]),
  ) as unknown as Settings;
  return layers.reduceRight<Settings>(
    (settings, layer) => ({ ...settings, ...layer.values }),
    defaults,
  );
}

/** Settings as they are stored with a run: TOML values by their keys in a file. */
export function toToml(
  settings: Partial<Settings>,
): Record<string, string | number | boolean | readonly string[]> {
  const document: Record<string, string | number | boolean | readonly string[]> = {};
  for (const name of SETTING_NAMES) {
    const value = settings[name];
    if (value !== undefined) document[SETTINGS[name].key] = value;
  }
  return document;
}

/** The settings of a layer that a repository may not make without the user's word. */
export function guardedOf(layer: Layer): Partial<Settings> {
  const guarded = SETTING_NAMES.filter((name) => isGuarded(name, layer.values));
  return Object.fromEntries(guarded.map((name) => [name, layer.values[name]]));
}

function isGuarded<Name extends SettingName>(
  name: Name,
  values: Pick<Partial<Settings>, Name>,
): boolean {
  const value: Settings[Name] | undefined = values[name];
  return value !== undefined && SETTINGS[name].guarded(value);
}

type Writable<T> = { -readonly [K in keyof T]: T[K] };

function set<Name extends SettingName>(
  values: Partial<Writable<Settings>>,
  name: Name,
  where: string,
  read: (kind: (typeof SETTINGS)[Name]["kind"]) => Settings[Name] | undefined,
  given: string,
  code: "ERR_CONFIG" | "ERR_USAGE" = "ERR_CONFIG",
): void {
  const { kind } = SETTINGS[name];
  const value = read(kind);
  if (value === undefined) {
    throw new CliError(code, `${where} must be ${kind.expected}, not ${given}`);
  }
  values[name] = value;
}

function shown(text: string): string {
  return fit(cleanLine(text), 60);
}

function describe(value: unknown): string {
  if (typeof value === "string") return `"${shown(value)}"`;
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  return Array.isArray(value) ? "a list" : "a table or a date";
}

/** `; did you mean "…"?`, when a known name is at most two edits away. */
export function suggestion(name: string, known: readonly string[]): string {
  const near = known
    .map((candidate) => ({ candidate, edits: distance(name.slice(0, 60), candidate) }))
    .filter(({ edits }) => edits <= 2)
    .toSorted((a, b) => a.edits - b.edits)[0];
  return near === undefined ? "" : `; did you mean "${near.candidate}"?`;
}

function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const change = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, change));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
