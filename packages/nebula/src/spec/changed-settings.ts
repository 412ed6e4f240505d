import { isTable, parseToml, type Table } from "./toml.ts";

/** A key of nebula.toml whose value is another one. */
export interface SettingChange {
  /** With the tables that it is in: `execution.max_budget_usd`. */
  readonly key: string;
  /** As JSON; `undefined`: the key was not there. */
  readonly before: string | undefined;
  /** The same; `undefined`: it is not there any more. */
  readonly now: string | undefined;
}

/** The keys by which two texts of nebula.toml differ, in the order of the later one; none where only comments or spaces do. */
export function changedSettings(before: string, now: string): readonly SettingChange[] {
  const [old, fresh] = [valuesOf(before), valuesOf(now)];
  return [...new Set([...fresh.keys(), ...old.keys()])]
    .map((key) => ({ key, before: old.get(key), now: fresh.get(key) }))
    .filter((change) => change.before !== change.now);
}

/** By their keys. A text that cannot be read has none. */
function valuesOf(text: string): ReadonlyMap<string, string> {
  const parsed = parseToml(text);
  return new Map("table" in parsed ? entriesOf(parsed.table) : []);
}

function entriesOf(table: Table, prefix = ""): readonly (readonly [string, string])[] {
  return Object.entries(table).flatMap(([name, value]) =>
    isTable(value)
      ? entriesOf(value, `${prefix}${name}.`)
      : [[prefix + name, JSON.stringify(value)] as const],
  );
}
