import { cleanLine, fit, jsonLine } from "@quasar/runs/text";
import { EXIT } from "./exit-codes.ts";
import { result } from "./output/json.ts";
import type { LayerOf, SettingsReader, SettingsTable, TomlValue } from "./config/table.ts";
import { isTrusted, type TrustOptions } from "./config/trust.ts";
import { viewOf, write } from "./output/reporter.ts";
import type { ConfigLine } from "./schemas/config.ts";
import { tableLines } from "./output/table.ts";
import type { View } from "./output/text.ts";

/** A setting as it holds, and where it is from. */
export interface ShownSetting {
  readonly key: string;
  readonly value: TomlValue;
  /** `config.toml:3:1`, `QUASAR_CODER`, or `default`. */
  readonly from: string;
  /** Whether the next command that uses it asks first: a repository's file sets it, and it runs or spends. */
  readonly needsTrust: boolean;
}

export interface ShowConfigOptions<S extends object> {
  readonly reader: SettingsReader<S>;
  readonly table: SettingsTable<S>;
  /** Most important first. */
  readonly layers: readonly LayerOf<S>[];
  readonly asked: Omit<TrustOptions, "trust"> | undefined;
  readonly json: boolean;
}

/** Prints each setting with where it is from. */
export function showConfig<S extends object>(options: ShowConfigOptions<S>): void {
  const settings = shownSettings(options);
  const warnings = options.layers.flatMap((layer) => layer.warnings);
  if (options.json) {
    const line = result("config", { settings, warnings }, EXIT.ok) satisfies ConfigLine;
    process.stdout.write(jsonLine(line));
    return;
  }
  write(process.stdout, settingLines(settings, viewOf(process.stdout)));
  const { paint } = viewOf(process.stderr);
  write(
    process.stderr,
    warnings.map((warning) => `${paint("yellow", "warning: ")}${warning}`),
  );
}

/** Every setting, in the order of the table, less those that are shown only where they are set. */
export function shownSettings<S extends object>({
  reader,
  table,
  layers,
  asked,
}: Omit<ShowConfigOptions<S>, "json">): readonly ShownSetting[] {
  const untrusted = asked === undefined || isTrusted(asked) ? {} : asked.guarded;
  return reader.names.flatMap((name) => {
    const { key, fallback, isShownUnset = true } = table[name];
    const layer = layers.find(({ values }) => values[name] !== undefined);
    if (layer === undefined && !isShownUnset) return [];
    const from = layer === undefined ? "default" : (layer.placeOf?.(key) ?? layer.source);
    const isOfRepository = asked !== undefined && layer?.source === cleanLine(asked.path);
    return {
      key,
      value: (layer?.values[name] ?? fallback) as TomlValue,
      from,
      needsTrust: isOfRepository && Object.hasOwn(untrusted, key),
    };
  });
}

const LONGEST_VALUE = 40;

function settingLines(settings: readonly ShownSetting[], view: View): string[] {
  const rows = settings.map(({ key, value, from, needsTrust }) => [
    key,
    fit(cleanLine(JSON.stringify(value)), LONGEST_VALUE),
    needsTrust ? `${from} (not trusted yet: the next run asks)` : from,
  ]);
  return tableLines(["setting", "value", "from"], rows, ["left", "left", "left"], view);
}
